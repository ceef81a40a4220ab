import Media

/// An access unit that was reassembled from packets.
public struct ReceivedUnit: Hashable, Sendable {
    /// The RTP timestamp as received, with its random offset.
    public let rtpTimestamp: UInt32
    /// The NAL units or the raw data block, back to back, without start codes or length prefixes.
    public let bytes: [UInt8]
    /// The range of each in `bytes`; never empty.
    public let units: [Range<Int>]
    /// Whether no packet was lost that may have belonged to the unit.
    public let isComplete: Bool
}

extension ReceivedUnit {
    /// Whether it has a slice at which decoding can start.
    public func isRandomAccessPoint<UnitHeader: NALUnitPayloadHeader>(_ header: UnitHeader.Type) -> Bool {
        units.contains { UnitHeader(of: $0, in: bytes)?.isRandomAccessPoint == true }
    }

    /// Whether decoding can start here according to its SEI. Encoders with intra refresh or open groups of pictures send few or no
    /// slices at which it can.
    func hasRecoveryPoint<UnitHeader: NALUnitPayloadHeader>(_ header: UnitHeader.Type) -> Bool {
        units.contains { unit in
            UnitHeader(of: unit, in: bytes)?.isSupplementalInformation == true
                && H264.SupplementalEnhancement.isPresent(
                    .recoveryPoint, in: Array(bytes[unit]), headerByteCount: UnitHeader.byteCount)
        }
    }
}

/// The events that a depacketizer has counted so far. All counters only increase.
public struct DepacketizerCounts: Hashable, Sendable {
    public init() {
    }

    /// Packets with a malformed payload; none of their bytes is used.
    public internal(set) var malformedPackets = 0
    /// Sequence numbers that never arrived.
    public internal(set) var lostPackets = 0
    /// Packets that came twice, or too late to be put in order.
    public internal(set) var latePackets = 0
    /// NAL units or access units that arrived only in part.
    public internal(set) var brokenUnits = 0

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.malformedPackets += right.malformedPackets
        sum.lostPackets += right.lostPackets
        sum.latePackets += right.latePackets
        sum.brokenUnits += right.brokenUnits
        return sum
    }
}
