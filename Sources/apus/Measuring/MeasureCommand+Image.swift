import ArgumentParser
import Measuring
import RTSP
import Server

extension MeasureCommand {
    /// Whether an image is to be read: there is a file of that name, or it is called like one.
    var isImage: Bool { ScreenshotMeasurement.isFile(stream.text) }

    func validateImageOptions() throws {
        guard isImage else {
            let name = UserInformation.removed(from: stream.text)
            guard at == nil else { throw ValidationError("--at is for images, and \(name) is none") }
            return
        }
        guard frames == nil, seconds == nil, report.csv == nil, plot.plot == nil, report.failIf.isEmpty else {
            throw ValidationError("an image takes --at and --json only")
        }
    }

    /// Prints what the block codes in the image say.
    func measureImage() throws {
        let found = try report.reportingErrors {
            ScreenshotReport(try ScreenshotMeasurement(of: stream.text, takenAt: at))
        }
        try report.publish(found, table: found.table, Verdict(.passed))
    }
}

extension WrittenTime: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
