/// The sequence number of a packet: 16 bits that wrap (RFC 3550, section 5.1).
public struct SequenceNumber: Hashable, Sendable, BitwiseCopyable {
    public let rawValue: UInt16

    @inlinable
    public init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The number `count` packets later, or earlier if `count` is negative.
    @inlinable
    public func advanced(by count: Int) -> Self {
        Self(rawValue &+ UInt16(truncatingIfNeeded: count))
    }

    /// The signed distance from `other`, −32 768…32 767: positive if this number is newer.
    @inlinable
    public func distance(from other: Self) -> Int {
        Int(Int16(bitPattern: rawValue &- other.rawValue))
    }

    /// Whether this number comes after `other` (RFC 1982, section 3.2; a distance of 32 768 counts as before).
    @inlinable
    public func isNewer(than other: Self) -> Bool {
        distance(from: other) > 0
    }
}
