import CCurl
import Connecting
import Glibc
import RTSP

/// Posts JSON to one URL, over one connection if the web server keeps it open. Confined to one thread at a time.
final class HTTPClient {
    private let client: OpaquePointer
    /// Where it may connect to; `nil` for anywhere.
    private let destinations: PermittedDestinations?

    /// - Parameter destinations: the addresses to which it may connect, directly even if the environment names a proxy; `nil` for all
    ///   addresses.
    init(posting url: String, to destinations: PermittedDestinations? = nil) throws(HTTPFailure) {
        if let reason = apus_load_curl() {
            throw HTTPFailure(description: "libcurl is needed (the package libcurl4): \(String(cString: reason))")
        }
        guard let client = apus_http_make(url) else { throw HTTPFailure(description: "libcurl cannot use this URL") }
        self.client = client
        self.destinations = destinations
        guard destinations != nil else { return }
        // The client is freed before this object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard apus_http_restrict(client, isPermitted, context) else { throw .outOfMemory }
    }

    deinit {
        apus_http_free(client)
    }

    fileprivate func permits(_ address: String) -> Bool {
        destinations?.rules.admits(IPAddress(address)) ?? true
    }

    /// Sends these header lines, each `Name: value`, from now on. No line may contain a control character.
    func setHeaders(_ lines: [String]) throws(HTTPFailure) {
        var pointers = lines.map { strdup($0) }.map { UnsafePointer($0) }
        defer { for pointer in pointers { free(UnsafeMutableRawPointer(mutating: pointer)) } }
        guard apus_http_set_headers(client, &pointers, pointers.count) else { throw .outOfMemory }
    }

    /// Posts a body and returns the status of the answer. Blocks until it arrives.
    func post(_ body: [UInt8], withinMilliseconds milliseconds: Int64) throws(HTTPFailure) -> Int {
        let status = apus_http_post(client, body, body.count, Int(milliseconds))
        guard status > 0 else { throw HTTPFailure(description: String(cString: apus_http_failure(client))) }
        return status
    }
}

/// Why there is no answer: a sentence for the log.
struct HTTPFailure: Error, Hashable, CustomStringConvertible {
    let description: String

    fileprivate static let outOfMemory = Self(description: "out of memory")
}

/// A function instead of a method, because C calls it.
private func isPermitted(_ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<CChar>?) -> Bool {
    guard let context, let address else { return false }
    return Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue().permits(String(cString: address))
}
