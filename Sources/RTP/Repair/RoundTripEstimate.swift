/// The time from a request to its answer, estimated as TCP does (RFC 6298, section 2), in nanoseconds.
struct RoundTripEstimate: Hashable, Sendable {
    /// Before anything is known: half of what players wait for a packet, so that they are asked for it once.
    private static let unknown: Int64 = 50_000_000
    /// Longer times are no answers.
    private static let maximum: Int64 = 10_000_000_000

    /// The smoothed time.
    private(set) var nanoseconds: Int64
    private var variation: Int64 = 0
    private var shortest: Int64?

    /// - Parameter initial: measured elsewhere, such as by the connection's packets.
    init(initial: Int64?) {
        shortest = initial.map { min(max(0, $0), Self.maximum) }
        nanoseconds = shortest ?? Self.unknown
    }

    /// An answer has come after this time.
    mutating func measured(_ sample: Int64) {
        let sample = min(max(0, sample), Self.maximum)
        variation += (abs(sample - nanoseconds) - variation) / 4
        nanoseconds += (sample - nanoseconds) / 8
        shortest = min(shortest ?? sample, sample)
    }

    /// An answer that takes longer is probably lost. An eighth more than the mean at least, because the sender does not answer a
    /// request that comes within the round trip that it has measured, and a tenth more (``RetransmissionRules``).
    var longest: Int64 { nanoseconds + max(4 * variation, nanoseconds / 8 + 2_000_000) }

    /// What comes sooner is no answer. Half of the shortest time, because the connection's packets may have had to queue.
    var soonest: Int64 { (shortest ?? 0) / 2 }
}
