/// Serialises messages (RFC 2326, sections 4, 6 and 7).
///
/// Its output is always well-formed: control characters in texts become blanks, URLs are percent-encoded, headers without a value
/// are left out, and `Content-Length` is written if and only if there is a body.
public enum Writer {
    public static func bytes(of request: Request) -> [UInt8] {
        message(
            "\(request.method.rawValue) \(encoded(request.target)) \(request.version)", request.headers, request.body)
    }

    public static func bytes(of response: Response) -> [UInt8] {
        message("\(response.version) \(response.status.code) \(response.reason)", response.headers, response.body)
    }

    /// An interleaved frame: `$`, channel, length and `data`; `nil` if `data` has more than 65 535 bytes.
    public static func interleaved(channel: UInt8, _ data: [UInt8]) -> [UInt8]? {
        guard let length = UInt16(exactly: data.count) else { return nil }
        return [UInt8(ascii: "$"), channel, UInt8(length >> 8), UInt8(length & 0xFF)] + data
    }

    private static func message(_ startLine: String, _ headers: Headers, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(startLine, to: &bytes)
        bytes += [0x0D, 0x0A]
        for field in headers.fields where field.name != .contentLength {
            append(field.name.text, field.value, to: &bytes)
        }
        if !body.isEmpty { append(HeaderName.contentLength.text, String(body.count), to: &bytes) }
        return bytes + [0x0D, 0x0A] + body
    }

    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        let value = value.trimmed
        guard !value.isEmpty else { return }
        append("\(name): \(value)", to: &bytes)
        bytes += [0x0D, 0x0A]
    }

    /// The URL with blanks and control characters percent-encoded: a camera's control attribute may contain some.
    private static func encoded(_ target: String) -> String {
        guard target.utf8.contains(where: \.endsURL) else { return target }
        let bytes = target.utf8.flatMap { byte in
            byte.endsURL ? Array("%\(Digits.hexadecimal(byte, count: 2))".utf8) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes += text.utf8.lazy.map { $0.isForbiddenControl ? UInt8(ascii: " ") : $0 }
    }
}

extension UInt8 {
    /// Whether the byte would end the URL in a request line.
    fileprivate var endsURL: Bool { self <= 0x20 || self == 0x7F }
}
