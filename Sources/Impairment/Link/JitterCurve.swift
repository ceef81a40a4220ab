/// The deviation from the mean delay as a function of time.
///
/// The link chooses a random deviation between -jitter and +jitter every four jitters, and moves from one to the next linearly.
/// The deviation therefore falls by at most half of the time that passes: packets never overtake each other, and the mean delay
/// does not depend on how many packets are sent.
struct JitterCurve: Sendable {
    private let numbers: SeededNumbers

    /// The standard deviation divided by the jitter: a point between two uniform numbers has the variance 1/3 · 2/3.
    static let standardDeviation = 2.0.squareRoot() / 3

    init(seed: UInt64, direction: Direction) {
        numbers = SeededNumbers(seed: seed, direction: direction, .jitter)
    }

    /// The deviation at `time`, in nanoseconds.
    func deviation(at time: Int64, jitterNanoseconds jitter: Int64) -> Int64 {
        guard jitter > 0 else { return 0 }
        let (step, offset) = time.quotientAndRemainder(dividingBy: 4 * jitter)
        let (from, to) = (choice(step), choice(step + 1))
        let position = Double(offset) / Double(4 * jitter)
        return Int64(((from + (to - from) * position) * Double(jitter)).rounded())
    }

    /// A number between -1 and 1.
    private func choice(_ step: Int64) -> Double {
        2 * numbers.fraction(at: UInt64(step)) - 1
    }
}
