import Media
import Wire

/// XR: what a participant tells beside its regular reports (RFC 3611). Only the blocks by which receivers learn their round-trip time are
/// read and written; others are skipped.
public struct ExtendedReport: Hashable, Sendable {
    /// The participant that sends the report.
    public var ssrc: SSRC
    public var blocks: [Block]

    public enum Block: Hashable, Sendable {
        /// RRTR: the wall-clock time of a receiver when it sent the report (RFC 3611, section 4.4).
        case receiverReferenceTime(NTPTime)
        /// DLRR: the answers to receivers' times (section 4.5).
        case delays([Delay])

        /// The types of blocks (section 4).
        fileprivate static let referenceTimeType: UInt8 = 4
        fileprivate static let delaysType: UInt8 = 5
    }

    /// The answer to the time of one receiver.
    public struct Delay: Hashable, Sendable {
        /// The receiver.
        public var ssrc: SSRC
        /// `NTPTime.middle` of the time that the receiver has sent; 0 if there was none.
        public var lastReceiverReport: UInt32
        /// The time from the arrival of the receiver's report to this answer, in 1/65 536 s.
        public var delay: UInt32

        public init(ssrc: SSRC, lastReceiverReport: UInt32, delay: UInt32) {
            (self.ssrc, self.lastReceiverReport, self.delay) = (ssrc, lastReceiverReport, delay)
        }

        fileprivate static let byteCount = 12
    }

    public init(ssrc: SSRC, blocks: [Block]) {
        (self.ssrc, self.blocks) = (ssrc, blocks)
    }

    /// The answer to the time that `receiver` has told. With it, a browser knows how old its pictures are.
    ///
    /// - Parameter delayNanoseconds: the time from the arrival of the receiver's report to this answer.
    public static func answer(
        to time: NTPTime, of receiver: SSRC, from ssrc: SSRC, delayNanoseconds: Int64
    ) -> ExtendedReport {
        // Longer delays than 18 hours do not fit, and need no answer.
        let clamped = min(max(0, delayNanoseconds), 65_535 * 1_000_000_000)
        let delay = Delay(
            ssrc: receiver, lastReceiverReport: time.middle,
            delay: UInt32(truncatingIfNeeded: clamped * 65_536 / 1_000_000_000))
        return ExtendedReport(ssrc: ssrc, blocks: [.delays([delay])])
    }

    /// The time that the sender of the report has told.
    public var receiverReferenceTime: NTPTime? {
        for case .receiverReferenceTime(let time) in blocks { return time }
        return nil
    }

    init?(body: RawSpan) {
        var reader = ByteReader(body)
        guard let ssrc = reader.uint32() else { return nil }
        self.init(ssrc: SSRC(ssrc), blocks: [])
        while reader.remaining > 0 {
            guard let type = reader.uint8(), reader.skip(1), let words = reader.uint16(),
                let content = reader.take(Int(words) * 4)
            else { return nil }
            switch type {
            case Block.referenceTimeType:
                var fields = ByteReader(content)
                guard content.byteCount == 8, let time = fields.uint64() else { return nil }
                blocks.append(.receiverReferenceTime(NTPTime(rawValue: time)))
            case Block.delaysType:
                guard let delays = Self.delays(in: content) else { return nil }
                blocks.append(.delays(delays))
            default: break
            }
        }
    }

    private static func delays(in content: RawSpan) -> [Delay]? {
        guard content.byteCount.isMultiple(of: Delay.byteCount) else { return nil }
        var reader = ByteReader(content)
        var delays: [Delay] = []
        while let ssrc = reader.uint32(), let last = reader.uint32(), let delay = reader.uint32() {
            delays.append(Delay(ssrc: SSRC(ssrc), lastReceiverReport: last, delay: delay))
        }
        return delays
    }

    func write(to writer: inout ByteWriter) {
        writer.uint32(ssrc.rawValue)
        for block in blocks {
            switch block {
            case .receiverReferenceTime(let time):
                writer.uint8(Block.referenceTimeType)
                writer.uint8(0)
                writer.uint16(2)
                writer.uint64(time.rawValue)
            case .delays(let delays):
                writer.uint8(Block.delaysType)
                writer.uint8(0)
                writer.uint16(UInt16(truncatingIfNeeded: delays.count * Delay.byteCount / 4))
                for delay in delays {
                    writer.uint32(delay.ssrc.rawValue)
                    writer.uint32(delay.lastReceiverReport)
                    writer.uint32(delay.delay)
                }
            }
        }
    }
}
