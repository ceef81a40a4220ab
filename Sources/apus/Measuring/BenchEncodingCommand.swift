import ArgumentParser
import Codecs
import Logging
import Measuring
import Server

struct BenchEncodingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encoding",
        abstract:
            "Time the test card or a camera from its capture until its RTP packets, and the encoder by itself.",
        discussion: """
            Needs no server. Choose size, preset and threads by it, or see what else takes time on this machine.


            """
                + Vocabulary.encoding.help(
                    """
                      p50, p99.9, min, mean, max   the same as packaged.p50, …: us, ms, s
                      packaged.p50, …              capture to RTP packets
                      beside-encoder.p50, …        the same without the encoder
                      encoder.p50, …               the encoder by itself
                      load, encoder-load           of a processor: %
                      skipped                      pictures: no unit
                    """, incomplete: "pictures were left out"))

    @Option(help: ArgumentHelp("Device node of a camera, in the test card's place.", valueName: "device"))
    var camera: String?

    @Option(help: "In pixels, even.")
    var width = 1280

    @Option(help: "In pixels, even.")
    var height = 720

    @Option(help: "Pictures per second.")
    var fps: Int32 = 30

    @Option(help: "How long each of the two parts takes, in seconds.")
    var seconds = 10.0

    @Option(help: "Encoder by FFmpeg's name, or auto.")
    var encoder = "auto"

    @Option(help: "libx264's preset.")
    var preset = "superfast"

    @Option(help: "Threads of the encoder.")
    var threads = 2

    @OptionGroup var report: ReportOptions

    @OptionGroup var plot: PlotOptions

    func validate() throws {
        guard VideoEncoder.FrameRate(fps) != nil else { throw ValidationError("--fps is 1 to 1000") }
        guard seconds > 0, seconds <= 1e5 else { throw ValidationError("--seconds is more than 0") }
        _ = try report.thresholds(in: .encoding)
    }

    func run() throws {
        var video = VideoEncoder.Settings()
        (video.width, video.height, video.encoder, video.preset, video.threads) = (
            width, height, encoder, preset, threads
        )
        video.frameRate = VideoEncoder.FrameRate(fps) ?? .thirty
        let log = Logger(label: "apus") { LineLogHandler(label: $0, threshold: LogThreshold(.notice)) }
        try report.publish(plot: plot.plot, in: .encoding) {
            try EncodingBench.run(video, camera: camera, seconds: seconds, log: log)
        }
    }
}
