import Wire

/// One RTCP packet.
public enum ControlPacket: Hashable, Sendable {
    case senderReport(SenderReport)
    case receiverReport(ReceiverReport)
    case sourceDescription(SourceDescription)
    case goodbye(Goodbye)
    case feedback(Feedback)
    case extendedReport(ExtendedReport)

    /// The packet types (RFC 3550, section 12.1; RFC 3611, section 2).
    enum PacketType {
        static let senderReport: UInt8 = 200
        static let receiverReport: UInt8 = 201
        static let sourceDescription: UInt8 = 202
        static let goodbye: UInt8 = 203
        static let extendedReport: UInt8 = 207
    }

    /// The result of parsing one packet.
    enum Reading {
        case packet(ControlPacket)
        /// A packet of an unsupported type or format.
        case unknown
        case malformed
    }

    /// - Parameters:
    ///   - count: the five bits after version and padding: the number of reports, chunks or sources, or the format of feedback.
    ///   - body: the bytes after the first word, without padding.
    static func read(packetType: UInt8, count: UInt8, body: RawSpan) -> Reading {
        let packet: ControlPacket?
        switch packetType {
        case PacketType.senderReport:
            packet = SenderReport(body: body, blockCount: Int(count)).map(ControlPacket.senderReport)
        case PacketType.receiverReport:
            packet = ReceiverReport(body: body, blockCount: Int(count)).map(ControlPacket.receiverReport)
        case PacketType.sourceDescription:
            packet = SourceDescription(body: body, chunkCount: Int(count)).map(ControlPacket.sourceDescription)
        case PacketType.goodbye:
            packet = Goodbye(body: body, sourceCount: Int(count)).map(ControlPacket.goodbye)
        case PacketType.extendedReport:
            packet = ExtendedReport(body: body).map(ControlPacket.extendedReport)
        default:
            guard let kind = Feedback.Kind(packetType: packetType, format: count) else { return .unknown }
            packet = Feedback(body: body, kind: kind).map(ControlPacket.feedback)
        }
        return packet.map(Reading.packet) ?? .malformed
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.bytes.count
        let (packetType, count) = header
        writer.uint8(0x80 | count)
        writer.uint8(packetType)
        writer.uint16(0)
        switch self {
        case .senderReport(let report): report.write(to: &writer)
        case .receiverReport(let report): report.write(to: &writer)
        case .sourceDescription(let description): description.write(to: &writer)
        case .goodbye(let goodbye): goodbye.write(to: &writer)
        case .feedback(let feedback): feedback.write(to: &writer)
        case .extendedReport(let report): report.write(to: &writer)
        }
        // The length field counts words after the first; every packet consists of whole words.
        writer.patch(uint16: UInt16(truncatingIfNeeded: (writer.bytes.count - start) / 4 - 1), at: start + 2)
    }

    private var header: (packetType: UInt8, count: UInt8) {
        switch self {
        case .senderReport(let report): (PacketType.senderReport, UInt8(min(report.blocks.count, 31)))
        case .receiverReport(let report): (PacketType.receiverReport, UInt8(min(report.blocks.count, 31)))
        case .sourceDescription(let description):
            (PacketType.sourceDescription, UInt8(min(description.chunks.count, 31)))
        case .goodbye(let goodbye): (PacketType.goodbye, UInt8(min(goodbye.sources.count, 31)))
        case .feedback(let feedback): (feedback.header.packetType, feedback.header.format)
        case .extendedReport: (PacketType.extendedReport, 0)
        }
    }
}
