import Media
import Wire

/// Converts RTP payloads that consist of audio alone to access units: Opus (RFC 7587), and G.711, L16 and G.722 (RFC 3551). Each
/// packet is a unit; long packets of G.711 become several.
public struct AudioDepacketizer: Sendable {
    public private(set) var counts = DepacketizerCounts()

    private let form: Form
    private var sequence = SequenceTracker()
    private var finished: [ReceivedUnit] = []

    private enum Form {
        case opus
        case g711(G711)
        /// Whole frames of this many bytes, which are not sent again.
        case frames(byteCount: Int)
    }

    /// For Opus.
    public init() {
        form = .opus
    }

    public init(_ format: G711) {
        form = .g711(format)
    }

    /// For audio that is encoded again.
    public init(_ format: TranscodedFormat.Audio) {
        form = .frames(byteCount: format.bytesPerFrame)
    }

    /// Pushes one packet's payload, without padding.
    public mutating func push(_ payload: RawSpan, header: Header) {
        switch sequence.step(to: header.sequenceNumber) {
        case .late:
            counts.latePackets += 1
            return
        case .gap(let missing): counts.lostPackets += missing
        case .next: break
        }
        if !append(payload, timestamp: header.timestamp) { counts.malformedPackets += 1 }
    }

    /// The oldest unit.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    /// Returns false if the payload is malformed; then it is not used.
    private mutating func append(_ payload: RawSpan, timestamp: UInt32) -> Bool {
        let bytes = [UInt8](payload)
        switch form {
        case .opus:
            guard Opus.sampleCount(of: bytes) != nil else { return false }
            finish(bytes, timestamp: timestamp)
        case .frames(let byteCount):
            guard !bytes.isEmpty, bytes.count % byteCount == 0 else { return false }
            finish(bytes, timestamp: timestamp)
        case .g711(let format):
            guard !bytes.isEmpty, bytes.count % format.channelCount == 0 else { return false }
            for start in stride(from: 0, to: bytes.count, by: format.maximumUnitByteCount) {
                let end = min(start + format.maximumUnitByteCount, bytes.count)
                let offset = UInt32(truncatingIfNeeded: start / format.channelCount)
                finish(Array(bytes[start..<end]), timestamp: timestamp &+ offset)
            }
        }
        return true
    }

    private mutating func finish(_ bytes: [UInt8], timestamp: UInt32) {
        finished.append(
            ReceivedUnit(rtpTimestamp: timestamp, bytes: bytes, units: [0..<bytes.count], isComplete: true))
    }
}
