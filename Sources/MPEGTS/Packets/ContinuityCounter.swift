/// The 4-bit counter of packets with payload on one PID, by which receivers detect loss (ISO/IEC 13818-1, 2.4.3.3).
struct ContinuityCounter: Hashable, Sendable {
    /// The value for the next packet with payload: 0…15.
    private(set) var next: UInt8 = 0

    /// The value of the last packet with payload, which packets without payload repeat.
    var last: UInt8 { (next &- 1) & 0xF }

    /// Counts `count` packets.
    mutating func advance(by count: Int = 1) {
        next = (next &+ UInt8(truncatingIfNeeded: count)) & 0xF
    }

    /// The counter that reaches `self` after as many packets as `self` needs to reach `later`.
    func mirrored(from later: Self) -> Self {
        var mirrored = self
        mirrored.advance(by: Int(next) - Int(later.next))
        return mirrored
    }
}
