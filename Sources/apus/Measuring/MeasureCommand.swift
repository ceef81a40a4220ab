import ArgumentParser
import Measuring
import RTSPClient
import Server

struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure the latency of a stream, of Apus or of any RTSP server, or of a picture in a screenshot.",
        discussion: """
            Watches the stream as a player with low delay does, decodes it, and reports when the first picture came, how long \
            frames take from their capture until they are received and decoded, jitter, loss, bitrate and GOP.

            Capture times come from SEI that Apus puts into the stream, else from sender reports (RFC 3550); without either, \
            only how late frames come compared with the quickest is reported. Whose clock they are of, and how well that is \
            known, is a line of the report. The first second is left out of everything but the times to the first picture.

            Of an image, it reads the block code (docs/block-code.md): when the picture was captured that it shows, and how long \
            before the image was taken.

            THRESHOLD is what must not be: a quantity, then > >= < or <=, then a number with its unit. Quantities are

              p50, p99.9, min, mean, max   capture to decoded picture: us, ms, s
              arrival.p50, …               capture to last packet
              encoded.p50, …               capture to coded picture, by SEI
              decoding.p50, …              last packet to decoded picture
              late.p50, …                  later than the least delayed frame
              spacing.p50, …               jitter from frame to frame
              connected, play, first-packet, first-decodable, first-decoded,
              jitter (RFC 3550), sound-offset, clock-error, gop: us, ms, s
              loss: %        bitrate (of video): bit/s, kbit/s, Mbit/s
              lost, broken, undecoded, frames, fps: no unit

            What cannot be judged, for the stream does not tell, fails too.

            Exit status: 0 measured, and no threshold holds; 1 nothing could be measured, or it ended early; 2 measured, and a \
            threshold holds; 64 wrong arguments.

            Examples:
              apus measure rtsp://127.0.0.1:8554/cam
              apus measure rtsp://camera/stream --transport tcp --csv frames.csv
              apus measure rtsp://127.0.0.1:8554/cam --seconds 60 --plot latency.svg
              apus measure rtsp://127.0.0.1:8554/cam --fail-if 'p99>50ms'
              apus measure screenshot.png

            Details: docs/measuring.md.
            """)

    @OptionGroup var stream: StreamOptions

    @Option(help: "Live frames after which it is enough.")
    var frames: Int?

    @Option(help: "Seconds after which it is enough; 10 where --frames is left out too.")
    var seconds: Double?

    @Option(help: "Seconds for which nothing may happen: no answer, no first picture, no further frame.")
    var timeout = 10.0

    @Option(
        help: """
            How the server's clock stands to this one: auto (by what the stream and its address tell), same (both hosts' \
            clocks agree, say by PTP), or estimate (by sender reports and round trips).
            """)
    var clocks = ClockRelation.Assumption.auto

    @OptionGroup var report: ReportOptions

    @OptionGroup var plot: PlotOptions

    @Option(
        help: "When the image was taken: 2026-11-21T15:04:05.678Z, or seconds since 1970; by the file where left out.")
    var at: WrittenTime?

    func validate() throws {
        if let frames, !(1...10_000_000).contains(frames) { throw ValidationError("--frames is 1 to 10000000") }
        if let seconds, !(seconds > 0 && seconds <= 86_400) {
            throw ValidationError("--seconds is more than 0, and 86400 at most")
        }
        try validateImageOptions()
        _ = try report.thresholds(in: .stream)
        guard timeout >= 0.1, timeout <= 3_600 else { throw ValidationError("--timeout is 0.1 to 3600 seconds") }
    }

    func run() throws {
        if isImage { return try measureImage() }
        try report.publish(plot: plot.plot, in: .stream) {
            let plan = try measurePlan()
            do throws(MeasureFailure) {
                return try StreamMeasurement.run(plan, progress: ProgressLine.ifTerminal())
            } catch {
                throw StreamFailure(url: plan.session.url.text, reason: "\(error)")
            }
        }
    }

    private func measurePlan() throws -> MeasurePlan {
        let session = try stream.session(userAgent: "apus-measure")
        var plan = MeasurePlan(session: session, seconds: seconds ?? (frames == nil ? 10 : .infinity))
        plan.frames = frames
        plan.timeoutMilliseconds = Int64(timeout * 1_000)
        plan.clocks = clocks
        return plan
    }
}

/// Nothing could be measured of a stream.
struct StreamFailure: Error, CustomStringConvertible {
    /// Without user and password.
    let url: String
    let reason: String

    var description: String { "\(url): \(reason)" }
}

extension ClockRelation.Assumption: ExpressibleByArgument {}
