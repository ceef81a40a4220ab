import CCurl
import Connecting
import Glibc
import Muxing
import Reactor

/// Opens `http` and `https` URLs by libcurl, which asks for each address whether it may connect. So redirections and playlists lead to
/// permitted addresses only. Confined to one thread.
final class HTTPResources: ResourceOpener {
    private let destinations: PermittedDestinations
    private let interruption: Interruption
    private let verifiesCertificates: Bool
    /// `nil` before the first URL is opened.
    private var downloads: OpaquePointer?
    /// Whether the user's URL has led to another host. Its server must not make this host connect to itself.
    private var isFromElsewhere: Bool

    /// A server that sends nothing for this long is considered gone, as with RTSP.
    private static let timeoutMilliseconds = 10_000

    /// - Parameter isFromElsewhere: tests that have only one host set it.
    init(
        _ destinations: PermittedDestinations, verifyingCertificates: Bool = true,
        isFromElsewhere: Bool = false, interruption: Interruption = Interruption()
    ) {
        (self.destinations, self.interruption) = (destinations, interruption)
        (verifiesCertificates, self.isFromElsewhere) = (verifyingCertificates, isFromElsewhere)
    }

    deinit { apus_downloads_free(downloads) }

    func open(
        _ url: String, _ range: ResourceRange, from origin: ResourceOrigin
    ) throws(ResourceFailure) -> any Resource {
        let resource = HTTPResource(url, range, from: origin, by: self)
        try resource.open()
        return resource
    }

    /// Opens a download, which `apus_download_close` closes.
    fileprivate func download(
        _ url: String, _ range: ResourceRange, from origin: ResourceOrigin
    ) throws(ResourceFailure) -> OpaquePointer {
        if downloads == nil { downloads = try makeDownloads() }
        let isTrusted = if case .input = origin { true } else { false }
        guard let download = apus_download_open(downloads, url, isTrusted, range.start, range.end ?? -1) else {
            throw failure()
        }
        return download
    }

    private func makeDownloads() throws(ResourceFailure) -> OpaquePointer {
        if let reason = apus_load_curl() {
            throw ResourceFailure(
                "libcurl cannot be loaded: \(String(cString: reason))", remedy: "install it, as the package libcurl4")
        }
        let rules = apus_download_rules(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            permits: { owner, address, isTrusted in
                guard let owner, let address = address.flatMap({ SocketAddress($0.pointee) }) else { return false }
                return Unmanaged<HTTPResources>.fromOpaque(owner).takeUnretainedValue().permits(address, isTrusted)
            },
            is_interrupted: { owner in
                owner.map { Unmanaged<HTTPResources>.fromOpaque($0).takeUnretainedValue().interruption.isInterrupted }
                    ?? true
            },
            timeout_milliseconds: Self.timeoutMilliseconds, verifies_certificates: verifiesCertificates)
        guard let made = apus_downloads_make(rules) else {
            throw ResourceFailure("out of memory", remedy: "add memory")
        }
        return made
    }

    /// - Parameter isTrusted: whether the user's URL names the host, and no server.
    private func permits(_ address: SocketAddress, _ isTrusted: Bool) -> Bool {
        let isPermitted = destinations.permits(address, refusingLocal: !isTrusted && isFromElsewhere)
        if isPermitted, isTrusted, !address.isLocal { isFromElsewhere = true }
        return isPermitted
    }

    /// Why the last call failed.
    fileprivate func failure() -> ResourceFailure {
        switch apus_downloads_result(downloads) {
        case apus_download_denied:
            ResourceFailure(
                "connections to its address, or to one that it leads to, are not permitted",
                remedy: "change access.connectAllow or access.connectDeny to permit it")
        case apus_download_interrupted: ResourceFailure("interrupted", isInterruption: true)
        default: ResourceFailure(String(cString: apus_downloads_failure(downloads)))
        }
    }
}

/// One resource, which is downloaded as it is read, and again from where it is read next.
private final class HTTPResource: Resource {
    private let all: HTTPResources
    private let url: String
    private let range: ResourceRange
    private let origin: ResourceOrigin
    /// `nil` after a change of the position.
    private var download: OpaquePointer?
    private var position: Int64
    private(set) var location = ""
    private(set) var mediaType = ""
    private(set) var byteCount: Int64?

    init(_ url: String, _ range: ResourceRange, from origin: ResourceOrigin, by all: HTTPResources) {
        (self.url, self.range, self.origin, self.all) = (url, range, origin, all)
        position = range.start
    }

    deinit { apus_download_close(download) }

    func open() throws(ResourceFailure) {
        let opened = try all.download(url, ResourceRange(start: position, end: range.end), from: origin)
        download = opened
        location = String(cString: apus_download_url(opened))
        mediaType = String(cString: apus_download_type(opened))
        let size = apus_download_size(opened)
        byteCount = range == .whole && size >= 0 ? size : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ResourceFailure) -> Int {
        if let byteCount, position >= byteCount { return 0 }
        if download == nil { try open() }
        guard let download else { return 0 }
        let count = apus_download_read(download, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw all.failure() }
        position += Int64(count)
        return count
    }

    func seek(to position: Int64) {
        guard position != self.position else { return }
        apus_download_close(download)
        (download, self.position) = (nil, position)
    }
}
