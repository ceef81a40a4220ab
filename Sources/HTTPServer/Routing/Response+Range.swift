import HTTP
import NIOCore

extension Response {
    /// The part of the body that a GET request asks for (RFC 9110, section 14).
    func part(_ ranges: [String]) -> Response {
        guard status == .ok else { return self }
        var response = self
        switch RequestedRange(ranges, of: byteCount) {
        case .whole: return self
        case .part(let range):
            response.status = .partialContent
            response.headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"))
            response.body = shared == nil ? Array(body[range]) : []
            response.shared = shared?.slice(range)
        case .unsatisfiable:
            response = Problem(.rangeNotSatisfiable, "the body has \(byteCount) bytes").response
            response.headers.append(("Content-Range", "bytes */\(byteCount)"))
        }
        return response
    }
}
