import CCurl

/// Posts JSON to one URL, over one connection if the web server keeps it open. Confined to one thread at a time.
final class HTTPClient {
    private let client: OpaquePointer

    init(posting url: String) throws(HTTPFailure) {
        if let reason = apus_load_curl() {
            throw HTTPFailure(description: "libcurl is needed (the package libcurl4): \(String(cString: reason))")
        }
        guard let client = apus_http_make(url) else { throw HTTPFailure(description: "libcurl cannot use this URL") }
        self.client = client
    }

    deinit {
        apus_http_free(client)
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
}
