/// An access unit put together again from packets.
public struct ReceivedUnit: Hashable, Sendable {
    /// As the sender wrote it: random offset included, wrapping.
    public let rtpTimestamp: UInt32
    /// The NAL units or the raw data block, back to back, without start codes or length prefixes.
    public let bytes: [UInt8]
    /// Where each lies in `bytes`; never empty.
    public let units: [Range<Int>]
    /// Whether no packet was lost that may have belonged to it.
    public let isComplete: Bool
}

/// What a depacketizer has met so far; every number only grows.
public struct DepacketizerCounts: Hashable, Sendable {
    public init() {
    }

    /// Packets whose payload breaks its format: none of their bytes is used.
    public internal(set) var malformedPackets = 0
    /// Sequence numbers that never came.
    public internal(set) var lostPackets = 0
    /// Packets that came twice or too late to be put in order.
    public internal(set) var latePackets = 0
    /// NAL or access units of which only a part came.
    public internal(set) var brokenUnits = 0
}
