/// Random numbers that depend only on a seed, a purpose and a position, so that each can be computed alone, in any order.
///
/// This is the generator SplitMix64 (Steele, Lea, Flood 2014), whose state is a counter.
struct SeededNumbers: Sendable {
    /// What the numbers decide: different purposes have independent numbers.
    enum Purpose: UInt64 {
        case loss = 1
        case channelState
        case reordering
        case jitter
    }

    private let base: UInt64

    init(seed: UInt64, direction: Direction, _ purpose: Purpose) {
        base = mixed(mixed(seed) &+ direction.rawValue << 32 &+ purpose.rawValue)
    }

    /// The number at `position`, uniform in 0 ..< 1.
    func fraction(at position: UInt64) -> Double {
        // A double has 53 bits of precision.
        Double(mixed(base &+ position &* increment) >> 11) * 0x1p-53
    }
}

private let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

/// The output function of SplitMix64.
private func mixed(_ state: UInt64) -> UInt64 {
    var bits = state &+ increment
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}
