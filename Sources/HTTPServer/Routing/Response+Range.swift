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
            response.body = body.isEmpty ? [] : Array(body[range])
            response.shared = shared.parts(in: range)
        case .unsatisfiable:
            response = Problem(.rangeNotSatisfiable, "the body has \(byteCount) bytes").response
            response.headers.append(("Content-Range", "bytes */\(byteCount)"))
        }
        return response
    }
}

extension [ByteBuffer] {
    /// The bytes of a range, which lies in the buffers, without a copy.
    fileprivate func parts(in range: Range<Int>) -> [ByteBuffer] {
        var start = 0
        return compactMap { buffer in
            let own = start..<(start + buffer.readableBytes)
            start = own.upperBound
            let part = own.clamped(to: range)
            guard !part.isEmpty else { return nil }
            return buffer.getSlice(at: buffer.readerIndex + part.lowerBound - own.lowerBound, length: part.count)
        }
    }
}
