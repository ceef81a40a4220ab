import ArgumentParser
import Codecs
import Logging
import Measuring
import Server

struct BenchEncodingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encoding",
        abstract:
            "Measure the time from capture to RTP packets for the test card or a camera, and for the encoder alone.",
        discussion: """
            Needs no server. Use it to choose size, preset and threads for this machine.


            """
                + Vocabulary.encoding.help(
                    """
                      p50, p99.9, min, mean, max   the same as packaged.p50, …: us, ms, s
                      packaged.p50, …              capture to RTP packets
                      beside-encoder.p50, …        capture to RTP packets, less the encoding time
                      encoder.p50, …               the encoder alone
                      load, encoder-load           of a processor: %
                      skipped                      frames: no unit
                    """, incomplete: "frames were skipped"))

    @Option(help: ArgumentHelp("Device node of a camera, instead of the test card.", valueName: "device"))
    var camera: String?

    @Option(help: "Width in pixels, an even number.")
    var width = 1280

    @Option(help: "Height in pixels, an even number.")
    var height = 720

    @Option(help: "Frames per second.")
    var fps: Int32 = 30

    @Option(help: "The duration of each of the two parts, in seconds.")
    var seconds = 10.0

    @Option(help: "The encoder by its FFmpeg name, or auto.")
    var encoder = "auto"

    @Option(help: "The preset of libx264.")
    var preset = "superfast"

    @Option(help: "The number of threads of the encoder.")
    var threads = 2

    @OptionGroup var report: ReportOptions

    @OptionGroup var plot: PlotOptions

    func validate() throws {
        guard FrameRate(fps) != nil else { throw ValidationError("--fps takes 1 to 1000, not \(fps)") }
        guard seconds > 0, seconds <= 1e5 else { throw ValidationError("--seconds takes more than 0") }
        _ = try x264Preset()
        _ = try report.thresholds(in: .encoding)
    }

    private func x264Preset() throws -> VideoEncoderSettings.Preset {
        guard let known = VideoEncoderSettings.Preset(rawValue: preset) else {
            let presets = VideoEncoderSettings.Preset.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("there is no preset '\(preset)'; the presets are \(presets)")
        }
        return known
    }

    func run() throws {
        var video = VideoEncoderSettings()
        (video.width, video.height, video.encoder, video.threads) = (width, height, encoder, threads)
        video.preset = try x264Preset()
        video.frameRate = FrameRate(fps) ?? .thirty
        let log = Logger(label: "apus") { LineLogHandler(label: $0, threshold: LogThreshold(.notice)) }
        try report.publish(plot: plot.plot, in: .encoding) {
            try EncodingBench.run(video, camera: camera, seconds: seconds, log: log)
        }
    }
}
