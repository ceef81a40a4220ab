/// Counts whole and broken access units by their marker bits, without keeping payload.
///
/// A unit is whole if all its packets, from the one after the previous marker to its own marker, arrived in order. A
/// reordered packet breaks its unit, which is stricter than a player with a jitter buffer.
public struct AccessUnitTracker: Sendable {
    /// Units that arrived without loss.
    public private(set) var whole: UInt64 = 0
    /// Units with a lost or late packet, or without a marker.
    public private(set) var broken: UInt64 = 0

    private var timestamp: UInt32?
    private var isBroken = false
    private var isKeyframe = false

    public init() {}

    /// A unit that is complete.
    public struct Completion: Equatable, Sendable {
        /// The RTP timestamp of its packets.
        public let timestamp: UInt32
        /// Whether decoding can start at it.
        public let isKeyframe: Bool
    }

    /// Processes the next packet and returns the unit that it completes.
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

    /// Starts a unit. A unit that is still open has lost its marker.
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
