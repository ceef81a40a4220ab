/// Counts the time bases of a program by its clock references (ISO/IEC 13818-1, 2.4.3.5): a source that restarts, or a file that is
/// played again, begins another.
struct TimeBase: Hashable, Sendable {
    /// References come every 100 ms (2.7.2), or later if packets are lost. They are up to ten seconds apart, in ticks of 90 kHz, and
    /// may be a tenth of a second early, because some multiplexers round.
    private static let usualSteps: ClosedRange<Int64> = -9_000...900_000
    /// The steps at which the clock goes on although its packet says that it may not: up to a second.
    private static let announcedSteps: ClosedRange<Int64> = 0...90_000

    /// The number of the present time base, from 0.
    private(set) var number = 0
    private var last: ProgramTime?
    private var unwrapping = ProgramTimeUnwrapping()

    /// A packet of the PCR PID has come.
    mutating func receive(_ field: AdaptationField) {
        guard let reference = field.reference.map({ unwrapping.unwrap($0) }) else { return }
        defer { last = reference }
        guard let last else { return }
        let steps = field.isDiscontinuity ? Self.announcedSteps : Self.usualSteps
        if !steps.contains(reference.elapsed(since: last)) { number += 1 }
    }
}
