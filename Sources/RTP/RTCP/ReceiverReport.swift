import Wire

/// RR: the reception quality at a participant that sends no media (RFC 3550, section 6.4.2).
public struct ReceiverReport: Hashable, Sendable {
    /// The receiver's SSRC.
    public var ssrc: SSRC
    /// At most 31 are written.
    public var blocks: [ReportBlock]

    public init(ssrc: SSRC, blocks: [ReportBlock] = []) {
        self.ssrc = ssrc
        self.blocks = blocks
    }

    init?(body: RawSpan, blockCount: Int) {
        var reader = ByteReader(body)
        guard let ssrc = reader.uint32() else { return nil }
        self.init(ssrc: SSRC(ssrc))
        for _ in 0..<blockCount {
            guard let block = ReportBlock.read(&reader) else { return nil }
            blocks.append(block)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.uint32(ssrc.rawValue)
        for block in blocks.prefix(31) { block.write(to: &writer) }
    }
}
