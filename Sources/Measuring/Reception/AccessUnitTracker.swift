/// Puts access units together from marker bits, without keeping a byte of them.
///
/// A unit is whole when all packets from the one after the last marker to its own marker came in order. A packet that
/// was reordered breaks its unit here, which is stricter than a player with a jitter buffer.
public struct AccessUnitTracker: Sendable {
    /// Units of which nothing was missing.
    public private(set) var whole: UInt64 = 0
    /// Units of which something was missing, late, or the marker.
    public private(set) var broken: UInt64 = 0

    private var timestamp: UInt32?
    private var isBroken = false
    private var isKeyframe = false

    public init() {}

    /// A unit whose last packet has come.
    public struct Completion: Equatable, Sendable {
        /// The RTP timestamp of its packets.
        public let timestamp: UInt32
        /// Whether decoding can start at it.
        public let isKeyframe: Bool
    }

    /// Takes the next packet; answers the unit that it makes whole.
    public mutating func received(
        _ placement: LossTracker.Placement, timestamp packetTimestamp: UInt32, isMarked: Bool,
        isKeyframe start: Bool
    ) -> Completion? {
        switch placement {
        case .late, .duplicate:
            return nil
        case .afterGap:
            begin(packetTimestamp)
            isBroken = true
        case .next where timestamp != packetTimestamp:
            begin(packetTimestamp)
        case .next:
            break
        }
        isKeyframe = isKeyframe || start
        return isMarked ? end(packetTimestamp) : nil
    }

    /// Starts a unit; one that is still open never got its marker.
    private mutating func begin(_ packetTimestamp: UInt32) {
        if let timestamp, timestamp != packetTimestamp { broken += 1 }
        timestamp = packetTimestamp
        isBroken = false
        isKeyframe = false
    }

    private mutating func end(_ packetTimestamp: UInt32) -> Completion? {
        defer { timestamp = nil }
        guard !isBroken else {
            broken += 1
            return nil
        }
        whole += 1
        return Completion(timestamp: packetTimestamp, isKeyframe: isKeyframe)
    }
}
