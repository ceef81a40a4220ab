import Wire

/// The packets of one RTCP datagram: a report first, then others (RFC 3550, section 6.1). In reduced size, there may be no report
/// (RFC 5506).
public struct Compound: Hashable, Sendable {
    public var packets: [ControlPacket]

    public init(_ packets: [ControlPacket]) {
        self.packets = packets
    }

    /// The regular packets of a sender: its report, its canonical name, and a goodbye if it leaves.
    public init(report: SenderReport, canonicalName: String, goodbye: Goodbye? = nil) {
        packets = [
            .senderReport(report),
            .sourceDescription(SourceDescription(ssrc: report.ssrc, canonicalName: canonicalName)),
        ]
        if let goodbye { packets.append(.goodbye(goodbye)) }
    }

    /// The regular packets of a receiver, and its feedback.
    public init(report: ReceiverReport, canonicalName: String, feedback: [Feedback] = [], goodbye: Goodbye? = nil) {
        packets = [
            .receiverReport(report),
            .sourceDescription(SourceDescription(ssrc: report.ssrc, canonicalName: canonicalName)),
        ]
        packets += feedback.map(ControlPacket.feedback)
        if let goodbye { packets.append(.goodbye(goodbye)) }
    }

    /// Why a datagram is no RTCP (RFC 3550, A.2). Nothing of such a datagram is used.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is shorter than one word, or there are bytes after the last packet.
        case tooShort
        case wrongVersion
        /// The first packet is neither a sender report nor a receiver report, and reduced size is not allowed.
        case reportIsNotFirst
        /// The type of the first packet is none of RTCP.
        case wrongPacketType
        /// A packet's length exceeds the datagram.
        case lengthBeyondEnd
        /// There is padding in a packet that is not the last, it has no whole words, or it is longer than the packet.
        case badPadding
        /// A packet's contents do not fit its length, and no packet before it can be used.
        case malformed(packetType: UInt8)
    }

    /// The packet types of RTCP. A datagram that begins with another type may be RTP (RFC 5761, section 4).
    private static let packetTypes: ClosedRange<UInt8> = 200...207

    /// Whether a datagram may be RTCP, by its first packet type. RTP with a payload type from 72 to 79 and a marker looks the same, so
    /// these types are not used (RFC 3551, section 6).
    public static func mayBegin(_ datagram: RawSpan) -> Bool {
        datagram.byteCount > 1 && packetTypes.contains(datagram.byte(at: 1))
    }

    /// Parses a whole datagram. Packets of unknown types are skipped, and malformed ones after a valid one, because devices send
    /// faulty descriptions after good reports.
    ///
    /// - Parameter allowsReducedSize: whether the datagram may begin without a report (RFC 5506). A receiver needs the peer's
    ///   agreement to send that; cameras send it without one.
    public init(parsing datagram: RawSpan, allowsReducedSize: Bool = false) throws(ParseError) {
        packets = []
        // One message of some bytes can be about a thousand packets, so only the first in a datagram is read.
        var hasTransportFeedback = false
        var reader = ByteReader(datagram)
        repeat {
            let isFirst = reader.offset == 0
            guard let flags = reader.uint8(), let packetType = reader.uint8(), let words = reader.uint16()
            else { throw .tooShort }
            guard flags >> 6 == 2 else { throw .wrongVersion }
            let isReport = packetType == 200 || packetType == 201
            guard !isFirst || Self.packetTypes.contains(packetType) else { throw .wrongPacketType }
            guard !isFirst || isReport || allowsReducedSize else { throw .reportIsNotFirst }
            guard let padded = reader.take(Int(words) * 4) else { throw .lengthBeyondEnd }
            let isTransportFeedback =
                Feedback.Kind(packetType: packetType, format: flags & 0x1F) == .transportWide
            let body = try Self.withoutPadding(
                padded, isPadded: flags & 0x20 != 0, isLast: reader.remaining == 0,
                isTransportFeedback: isTransportFeedback)
            if isTransportFeedback {
                if hasTransportFeedback { continue }
                hasTransportFeedback = true
            }
            switch ControlPacket.read(packetType: packetType, count: flags & 0x1F, body: body) {
            case .packet(let packet): packets.append(packet)
            case .unknown: break
            case .malformed:
                if packets.isEmpty { throw .malformed(packetType: packetType) }
            }
        } while reader.remaining > 0
    }

    /// Padding has whole words and belongs to the last packet (RFC 3550, section 6.4.1), except that it fills the last word of
    /// transport-wide feedback, which libwebrtc declares so.
    @_lifetime(copy body)
    private static func withoutPadding(
        _ body: RawSpan, isPadded: Bool, isLast: Bool, isTransportFeedback: Bool
    ) throws(ParseError) -> RawSpan {
        guard isPadded else { return body }
        guard isLast || isTransportFeedback, body.byteCount > 0 else { throw .badPadding }
        let padding = Int(body.byte(at: body.byteCount - 1))
        guard padding > 0, padding % 4 == 0 || isTransportFeedback, padding <= body.byteCount else { throw .badPadding }
        return body.extracting(0..<(body.byteCount - padding))
    }

    /// The bytes of the datagram.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        for packet in packets { packet.write(to: &writer) }
        return writer.bytes
    }
}
