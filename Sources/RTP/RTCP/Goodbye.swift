import Wire

/// BYE: sources that leave (RFC 3550, section 6.6).
public struct Goodbye: Hashable, Sendable {
    /// At most 31 are written.
    public var sources: [SSRC]
    /// At most 255 bytes are written; empty if there is no reason.
    public var reason: [UInt8]

    public init(sources: [SSRC], reason: String = "") {
        self.sources = sources
        self.reason = [UInt8](reason.utf8)
    }

    init?(body: RawSpan, sourceCount: Int) {
        var reader = ByteReader(body)
        sources = []
        reason = []
        for _ in 0..<sourceCount {
            guard let source = reader.uint32() else { return nil }
            sources.append(SSRC(source))
        }
        guard let length = reader.uint8() else { return }
        guard let text = reader.take(Int(length)) else { return nil }
        reason = [UInt8](text)
    }

    func write(to writer: inout ByteWriter) {
        for source in sources.prefix(31) { writer.uint32(source.rawValue) }
        guard !reason.isEmpty else { return }
        let text = reason.prefix(255)
        writer.uint8(UInt8(text.count))
        writer.append(text)
        for _ in 0..<((4 - (1 + text.count) % 4) % 4) { writer.uint8(0) }
    }
}
