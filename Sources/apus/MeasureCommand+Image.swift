import ArgumentParser
import Measuring
import Server

extension MeasureCommand {
    /// Whether an image is to be read: there is a file of that name, or it is called like one.
    var isOfImage: Bool { ScreenshotMeasurement.isFile(url) }

    func validateImageOptions() throws {
        guard isOfImage else {
            guard at == nil else { throw ValidationError("--at is for images, and \(url) is none") }
            return
        }
        guard frames == nil, seconds == nil, csv == nil, plot == nil, failIf.isEmpty else {
            throw ValidationError("an image takes --at and --json only")
        }
    }

    /// Prints what the block codes in the image say.
    func measureImage() throws {
        do {
            let report = ScreenshotReport(try ScreenshotMeasurement(of: url, takenAt: at))
            try printReport(report, table: report.table, asJSON: json)
        } catch let failure as ScreenshotFailure {
            writeToStandardError("apus: \(failure)\n")
            throw ExitCode.failure
        }
    }
}

extension WrittenTime: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
