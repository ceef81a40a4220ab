import ArgumentParser
import Measuring
import Server

extension ReportOptions {
    /// Measures, prints and writes what there is to tell, and ends with the verdict's exit status.
    ///
    /// - Parameters:
    ///   - more: thresholds beside those of `--fail-if`.
    ///   - measure: throws `ValidationError` for arguments that cannot be meant, anything else if nothing can be measured.
    func publish(
        plot: String? = nil, in vocabulary: Vocabulary, and more: [Threshold] = [],
        measure: () throws -> some Measurement
    ) throws {
        let thresholds = try thresholds(in: vocabulary) + more
        let (measurement, files) = try reportingErrors {
            // Opened first: a path that cannot be written to is told before the measurement, not after it.
            let files = (table: try csv.map { try OutputFile($0) }, plot: try plot.map { try OutputFile($0) })
            defer { ProgressLine.clear() }
            return (try measure(), files)
        }
        var verdict = measurement.verdict(on: thresholds)
        do {
            try files.table?.write(measurement.csv)
            if let plot = files.plot { try plot.write(measurement.svg ?? "") }
        } catch {
            verdict = verdict.lacking("\(error)")
        }
        try publish(measurement.report, table: measurement.table, verdict)
    }

    /// Prints a report, and ends with the verdict's exit status.
    func publish(_ report: some Encodable, table: String, _ verdict: Verdict) throws {
        if json {
            try PublishedReport(report: report, verdict: verdict, error: nil).print()
        } else {
            writeToStandardOutput(table)
        }
        for reason in verdict.reasons { writeToStandardError("apus: \(reason)\n") }
        guard verdict.exitStatus == 0 else { throw ExitCode(verdict.exitStatus) }
    }

    /// Tells an error on standard error, as JSON too if that is wanted, and ends with 1.
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
