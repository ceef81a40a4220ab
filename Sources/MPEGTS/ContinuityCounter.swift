/// Counts the packets of one PID that carry payload, in 4 bits: a receiver sees by it what was lost (ISO/IEC 13818-1, 2.4.3.3).
struct ContinuityCounter: Hashable, Sendable {
    /// What the next packet with payload says: 0…15.
    private(set) var next: UInt8 = 0

    /// What the last packet with payload said, and a packet without payload repeats.
    var last: UInt8 { (next &- 1) & 0xF }

    /// Counts `count` packets.
    mutating func advance(by count: Int = 1) {
        next = (next &+ UInt8(truncatingIfNeeded: count)) & 0xF
    }

    /// The counter that comes to `self` with as many packets as `self` needs to come to `later`.
    func mirrored(from later: Self) -> Self {
        var mirrored = self
        mirrored.advance(by: Int(next) - Int(later.next))
        return mirrored
    }
}
