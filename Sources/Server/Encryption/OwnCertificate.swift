import Glibc
import Reactor
import TLS

/// A certificate that this host makes for itself, and its key, in files.
public struct OwnCertificate: Sendable {
    public let files: CertificateFiles
    private let hosts: [URLHost]

    /// Ten years: whoever was told to trust it is not to be told again soon.
    private static let days = 3_650

    /// Makes certificate and key for `hosts`, at least one, and keeps them in `folder`, in place of what is there: the key for its
    /// owner alone.
    public init(for hosts: [URLHost], in folder: StateFolder) throws(StateFailure) {
        self.hosts = hosts
        files = CertificateFiles(in: folder.path)
        let made: SelfSignedCertificate
        do throws(IdentityFailure) {
            made = try SelfSignedCertificate(for: hosts.map(\.certificateName), days: Self.days)
        } catch {
            throw StateFailure("\(CertificateFailure(error, files))")
        }
        try folder.make()
        // The key first: a certificate that is new beside a key that is old would be noticed.
        try folder.write(made.key, to: files.key, mode: 0o600)
        try folder.write(made.certificate, to: files.certificate, mode: 0o644)
    }

    /// Under which clients reach this host: its name, its addresses, and what itself calls itself.
    public static func usualHosts() -> [URLHost] {
        var name = [CChar](repeating: 0, count: 256)
        let isNamed = gethostname(&name, name.count - 1) == 0
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let own = isNamed ? [URLHost(text)].compactMap(\.self) : []
        // Without the list of interfaces there are still the others.
        let addresses = (try? LocalAddresses.all()) ?? []
        let loopback = ["127.0.0.1", "::1"].compactMap { URLHost($0) }
        return own.filter { $0 != .local } + [.local] + addresses.map(URLHost.address) + loopback
    }

    /// What was made, and what to do with it, each line ended.
    ///
    /// - Parameter isUsual: whether the configuration need not name the files.
    public func text(isUsual: Bool) -> String {
        let names = isUsual ? [] : ["  certificate: \"\(files.certificate)\"", "  key: \"\(files.key)\""]
        let lines =
            [
                "A certificate for \(hosts.map(\.certificateName.text).joined(separator: ", ")), good for ten years:",
                "  \(files.certificate)", "and its key, which nobody else may read:", "  \(files.key)", "",
                "With this in the configuration, rtsps:// is served, beside rtsp://:", "", "tls:",
                "  encryption: optional",
            ] + names + [
                "",
                "Nobody else vouches for it: clients that verify certificates are to be given the first of the files.",
            ]
        return lines.map { $0 + "\n" }.joined()
    }
}

extension URLHost {
    /// As a certificate calls it.
    fileprivate var certificateName: SelfSignedCertificate.Name {
        switch self {
        case .local: .host("localhost")
        case .address(let address): .address(address.host)
        case .name(let name): .host(name)
        }
    }
}
