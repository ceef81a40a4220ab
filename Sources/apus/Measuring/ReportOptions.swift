import ArgumentParser
import Measuring
import Server

/// How `measure` and the benches report their results.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print the report as JSON, also an error.")
    var json = false

    @Option(help: ArgumentHelp("Write a CSV file with a row per frame, viewer, join or round.", valueName: "file"))
    var csv: String?

    @Option(
        name: .customLong("fail-if"),
        help: ArgumentHelp(
            "Exit with 2 if this condition holds, such as p99>50ms. May be repeated.", valueName: "threshold"))
    var failIf: [String] = []

    /// - Throws: if a text is not a threshold, or if the command does not measure its quantity.
    func thresholds(in vocabulary: Vocabulary) throws -> [Threshold] {
        do {
            return try failIf.map { try Threshold($0, in: vocabulary) }
        } catch {
            throw ValidationError("--fail-if: \(error)")
        }
    }
}

extension ReportOptions {
    /// Measures, prints and writes the results, and exits with the verdict's status.
    ///
    /// - Parameters:
    ///   - more: thresholds in addition to those of `--fail-if`.
    ///   - measure: throws `ValidationError` for wrong arguments, and any other error if nothing could be measured.
    func publish(
        plot: String? = nil, in vocabulary: Vocabulary, and more: [Threshold] = [],
        measure: () throws -> some Measurement
    ) throws {
        let thresholds = try thresholds(in: vocabulary) + more
        let (measurement, files) = try reportingErrors {
            // The files are opened first, so that an unwritable path is reported before the measurement.
            let files = (table: try csv.map { try OutputFile($0) }, plot: try plot.map { try OutputFile($0) })
            defer { ProgressLine.clear() }
            return (try measure(), files)
        }
        var verdict = measurement.verdict(on: thresholds)
        do {
            try files.table?.write(measurement.csv)
            if let plot = files.plot { try plot.write(measurement.svg ?? "") }
        } catch {
            verdict = verdict.incomplete(because: "\(error)")
        }
        try publish(measurement.report, table: measurement.table, verdict)
    }

    /// Prints a report, and exits with the verdict's status.
    func publish(_ report: some Encodable, table: String, _ verdict: Verdict) throws {
        if json {
            try PublishedReport(report: report, verdict: verdict, error: nil).print()
        } else {
            writeToStandardOutput(table)
        }
        for reason in verdict.reasons { writeToStandardError("apus: \(reason)\n") }
        guard verdict.exitStatus == 0 else { throw ExitCode(verdict.exitStatus) }
    }

    /// Prints an error on standard error, with --json also as JSON, and exits with 1.
    func reportingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let mistake as ValidationError {
            throw mistake
        } catch {
            writeToStandardError("apus: \(error)\n")
            if json {
                let verdict = Verdict(.error, reasons: ["\(error)"])
                try PublishedReport<Verdict>(report: nil, verdict: verdict, error: "\(error)").print()
            }
            throw ExitCode(1)
        }
    }
}

/// The option of commands that measure durations.
struct PlotOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write an SVG file with durations over time and their distribution.", valueName: "file"))
    var plot: String?
}
