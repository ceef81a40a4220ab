import HTTP
import NIOHPACK

/// The head of a request over HTTP/2, checked as ``RequestFraming`` checks that of one over HTTP/1.1.
///
/// SwiftNIO has refused what RFC 9113 calls malformed in section 8.2 and 8.3: names in upper case or with other characters, line feeds in
/// values, headers about the connection, `te`, and pseudo-headers that are unknown, missing, repeated or misplaced. It also compares the
/// length of the body with `content-length`.
struct StreamRequest {
    /// Whether the client waits for `100 Continue` before it sends the body.
    private(set) var expectsContinue = false

    private var authority: String?
    private var hosts: [String] = []
    private var length: String?
    private var (headerCount, byteCount) = (0, 0)

    init(_ headers: HPACKHeaders, _ limits: RequestFraming.Limits) throws(RequestFailure) {
        var hasPath = false
        for (name, value, _) in headers {
            // As many bytes as in HTTP/1.1, with the colon and the end of the line.
            byteCount += name.utf8.count + value.utf8.count + 4
            switch name {
            case ":path":
                guard value.utf8.count <= limits.targetByteCount else { throw .targetTooLong }
                hasPath = true
            case ":authority": authority = value
            // With `http`, the client would take the connection for one without TLS.
            case ":scheme": guard value == "https" else { throw .malformedRequestLine }
            case ":method": guard (1...16).contains(value.utf8.count) else { throw .malformedRequestLine }
            default: try add(name, value)
            }
        }
        guard headerCount <= limits.headerCount else { throw .tooManyHeaders(limit: limits.headerCount) }
        guard byteCount <= limits.headByteCount else { throw .headTooLong(true) }
        // CONNECT has none.
        guard hasPath else { throw .malformedRequestLine }
        // Whatever reads the request next must find one host, too (RFC 9113, section 8.3.1).
        guard let authority, hosts.isEmpty || hosts == [authority] else { throw .hostCount }
        if let length { try check(length, limits) }
    }

    private mutating func add(_ name: String, _ value: String) throws(RequestFailure) {
        headerCount += 1
        let bytes = value.utf8
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
            bytes.first.map({ $0 != 0x20 && $0 != 0x09 }) ?? true, bytes.last.map({ $0 != 0x20 && $0 != 0x09 }) ?? true
        else { throw .malformedHeader }
        switch name {
        case "host": hosts.append(value)
        case "content-length":
            guard length == nil else { throw .ambiguousLength }
            length = value
        case "expect": expectsContinue = value.lowercased() == "100-continue"
        default: break
        }
    }

    private func check(_ length: String, _ limits: RequestFraming.Limits) throws(RequestFailure) {
        guard (1...18).contains(length.utf8.count), length.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let byteCount = Int(length)
        else { throw .ambiguousLength }
        guard byteCount <= limits.bodyByteCount else { throw .bodyTooLong(limit: limits.bodyByteCount) }
    }
}
