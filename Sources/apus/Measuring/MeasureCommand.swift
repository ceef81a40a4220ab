import ArgumentParser
import Measuring
import RTSP
import RTSPClient
import Server

struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure the latency of a stream of any RTSP or WHEP server, or of a screenshot.",
        discussion: """
            Plays and decodes the stream like a low-delay player: over RTSP, or over WebRTC from an address of WHEP, such as \
            http://host:8888/cam/whep. Reports the time to the first frame, the latency of frames \
            from capture to arrival and to the decoded frame, jitter, loss, bitrate and GOP.

            Capture times come from the SEI of streams that Apus encodes, or from sender reports (RFC 3550). Without either, \
            only the lateness of frames against the least delayed frame is reported. The report states how the clocks of both \
            hosts are related, and the possible error. Over UDP, lost packets are requested again if the server offers that, \
            and loss is reported before and after repair. The first second counts only for the time to the first frame.

            For an image, measure reads the timestamp overlay (docs/timestamp-overlay.md), and reports when the visible frame \
            was captured, and how long before the image was taken.

            THRESHOLD is a condition that must not hold: a quantity, then > >= < or <=, then a number with its unit. Quantities:

              p50, p99.9, min, mean, max   capture to decoded frame: us, ms, s
              arrival.p50, …               capture to last packet
              encoded.p50, …               capture to encoded frame, by SEI
              decoding.p50, …              last packet to decoded frame
              late.p50, …                  later than the least delayed frame
              spacing.p50, …               jitter from frame to frame
              connected, play, first-packet, first-decodable, first-decoded,
              jitter (RFC 3550), sound-offset, clock-error, gop: us, ms, s
              loss, loss-before-repair: %        bitrate (of video): bit/s, kbit/s, Mbit/s
              lost, lost-before-repair, repaired, broken, undecoded, frames, fps: no unit

            A threshold whose quantity could not be measured counts as exceeded.

            Exit status: 0 success; 1 nothing could be measured, or the measurement ended early; 2 a threshold was exceeded; \
            64 wrong arguments.

            Examples:
              apus measure rtsp://127.0.0.1:8554/cam
              apus measure rtsp://camera/stream --transport tcp --csv frames.csv
              apus measure rtsp://127.0.0.1:8554/cam --seconds 60 --plot latency.svg
              apus measure rtsp://127.0.0.1:8554/cam --fail-if 'p99>50ms'
              apus measure http://127.0.0.1:8888/cam/whep
              apus measure screenshot.png

            Details: docs/measuring.md.
            """)

    @OptionGroup var stream: StreamOptions

    @Option(help: "The number of frames to measure.")
    var frames: Int?

    @Option(help: "The seconds to measure; 10 by default, unless --frames is given.")
    var seconds: Double?

    @Option(help: "How many seconds to wait for a response, the first frame, or the next frame.")
    var timeout = 10.0

    @Option(
        help: """
            How the server's clock relates to this host's: auto (detected by the stream and the server's address), same (both \
            clocks agree, such as by PTP), or estimate (by sender reports and round trips).
            """)
    var clocks = ClockRelation.Assumption.auto

    @Flag(name: .customLong("no-repair"), help: "Do not request lost packets again over UDP.")
    var isRepairOff = false

    @OptionGroup var report: ReportOptions

    @OptionGroup var plot: PlotOptions

    @Option(
        help:
            "When the image was taken: 2026-11-21T15:04:05.678Z, or seconds since 1970; the file's own time by default."
    )
    var at: WrittenTime?

    func validate() throws {
        if let frames, !(1...10_000_000).contains(frames) {
            throw ValidationError("--frames takes 1 to 10000000, not \(frames)")
        }
        if let seconds, !(seconds > 0 && seconds <= 86_400) {
            throw ValidationError("--seconds takes more than 0 and at most 86400, not \(seconds)")
        }
        if !isImage { try stream.isHTTP ? stream.validateWHEP() : stream.validateURL() }
        try validateImageOptions()
        _ = try report.thresholds(in: .stream)
        guard timeout >= 0.1, timeout <= 3_600 else {
            throw ValidationError("--timeout takes 0.1 to 3600 seconds, not \(timeout)")
        }
    }

    func run() throws {
        if isImage { return try measureImage() }
        try report.publish(plot: plot.plot, in: .stream) {
            let plan = try measurePlan()
            do throws(MeasureFailure) {
                return try StreamMeasurement.run(plan, progress: ProgressLine.ifTerminal())
            } catch {
                throw StreamFailure(
                    url: plan.stream.url, reason: error.description(over: plan.stream.transport))
            }
        }
    }

    private func measurePlan() throws -> MeasurePlan {
        let played: PlayedStream =
            stream.isHTTP
            ? .whep(try stream.playback(userAgent: "apus-measure"))
            : .rtsp(try stream.session(userAgent: "apus-measure"))
        var plan = MeasurePlan(played, seconds: seconds ?? (frames == nil ? 10 : .infinity))
        if isRepairOff { plan.stream.repairPatience = nil }
        plan.frames = frames
        plan.timeoutMilliseconds = Int64(timeout * 1_000)
        plan.clocks = clocks
        return plan
    }
}

// MARK: - Images

extension MeasureCommand {
    /// Whether the argument is an image: a file of that name exists, or the name has the suffix of an image.
    var isImage: Bool { ScreenshotMeasurement.isFile(stream.text) }

    func validateImageOptions() throws {
        guard isImage else {
            let name = UserInformation.removed(from: stream.text)
            guard at == nil else { throw ValidationError("--at is for images, and \(name) is not an image") }
            return
        }
        guard frames == nil, seconds == nil, report.csv == nil, plot.plot == nil, report.failIf.isEmpty, !isRepairOff
        else {
            throw ValidationError("an image takes --at and --json only")
        }
    }

    /// Prints the timestamp overlays in the image.
    func measureImage() throws {
        let found = try report.reportingErrors {
            ScreenshotReport(try ScreenshotMeasurement(of: stream.text, takenAt: at))
        }
        try report.publish(found, table: found.table, Verdict(.passed))
    }
}

/// Why nothing could be measured.
struct StreamFailure: Error, CustomStringConvertible {
    /// The URL without user and password.
    let url: String
    let reason: String

    var description: String { "\(url): \(reason)" }
}

extension ClockRelation.Assumption: ExpressibleByArgument {}

extension WrittenTime: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
