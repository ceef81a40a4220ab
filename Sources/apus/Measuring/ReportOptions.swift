import ArgumentParser
import Measuring

/// How `measure` and the benches tell what they have measured.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print the report as JSON; an error, too.")
    var json = false

    @Option(help: ArgumentHelp("Write a row per frame, viewer, join or round.", valueName: "file"))
    var csv: String?

    @Option(
        name: .customLong("fail-if"),
        help: ArgumentHelp("Exit with 2 if this holds, as p99>50ms; may be repeated.", valueName: "threshold"))
    var failIf: [String] = []

    /// - Throws: for a text that is no threshold, or is about something that the command does not measure.
    func thresholds(in vocabulary: Vocabulary) throws -> [Threshold] {
        do {
            return try failIf.map { try Threshold($0, in: vocabulary) }
        } catch {
            throw ValidationError("--fail-if: \(error)")
        }
    }
}

/// For commands that measure durations.
struct PlotOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Draw durations over time and their distribution, as SVG.", valueName: "file"))
    var plot: String?
}
