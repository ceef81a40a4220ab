import HTTP

extension Response {
    /// The part of the body that a GET request asks for (RFC 9110, section 14).
    func part(_ ranges: [String]) -> Response {
        guard status == .ok else { return self }
        var response = self
        switch RequestedRange(ranges, of: body.count) {
        case .whole: return self
        case .part(let range):
            response.status = .partialContent
            response.headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"))
            response.body = Array(body[range])
        case .unsatisfiable:
            response = Problem(.rangeNotSatisfiable, "the body has \(body.count) bytes").response
            response.headers.append(("Content-Range", "bytes */\(body.count)"))
        }
        return response
    }
}
