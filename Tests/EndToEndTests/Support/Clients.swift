import TestSupport
import Testing

/// The clients that prove a stream, each with the arguments that make its exit status count.
enum Client: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case ffmpeg
    case ffprobe
    case gstreamer
    case mpv

    var testDescription: String { rawValue }

    private var program: String {
        switch self {
        case .ffmpeg, .ffprobe, .mpv: rawValue
        case .gstreamer: "gst-launch-1.0"
        }
    }

    var isInstalled: Bool { Command.exists(program) }

    /// Watches 60 pictures, with their sound, over `transport` (udp, tcp or udp_multicast, as FFmpeg names them).
    func arguments(_ url: String, over transport: String) -> [String] {
        switch self {
        case .ffmpeg:
            Self.ffmpeg(url, over: transport, options: ["-xerror", "-timeout", "5000000"])
                + ["-map", "0:v:0", "-map", "0:a:0", "-frames:v", "60", "-frames:a", "80", "-f", "null", "-"]
        case .ffprobe:
            [
                program, "-v", "error", "-rtsp_transport", transport, "-read_intervals", "%+2", "-count_frames",
                "-show_entries", "stream=codec_name,nb_read_frames", "-of", "csv=p=0", url,
            ]
        case .gstreamer:
            [
                program, "-q", "rtspsrc", "location=\(url)", "protocols=\(Self.gstreamerName(of: transport))",
                "name=source", "latency=200",
                // Without a filter: two filtered links that are made at once may undo one another (gst-launch 1.22).
                "source.", "!", "rtph264depay", "!", "h264parse", "!", "avdec_h264", "!", "identity", "eos-after=60",
                "!", "fakesink",
                "source.", "!", "rtpmp4gdepay", "!", "aacparse", "!", "avdec_aac", "!", "identity", "eos-after=60",
                "!", "fakesink",
            ]
        case .mpv:
            [
                program, "--no-config", "--vo=null", "--ao=null", "--frames=60", "--rtsp-transport=\(transport)",
                url,
            ]
        }
    }

    static func ffmpeg(_ url: String, over transport: String, options: [String] = []) -> [String] {
        ["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", transport] + options + ["-i", url]
    }

    private static func gstreamerName(of transport: String) -> String {
        transport == "udp_multicast" ? "udp-mcast" : transport
    }

    /// At the end of the stream rtspsrc asks for a pause, and a moment later cancels what it has not yet written: with bad luck
    /// that is its pause, or inside TLS the connection, so that it cannot say goodbye: which it calls an error (two lines of it, and
    /// nothing else; GStreamer 1.22).
    func cancelledItsOwnPause(_ outcome: Command.Outcome) -> Bool {
        guard self == .gstreamer, outcome.status == 1 else { return false }
        let details = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("../gst/") }
        return details.count == 2 && details[0].contains("gst_rtspsrc_try_send")
            && ["gst_rtspsrc_pause", "gst_rtspsrc_close"].contains(where: details[1].contains)
    }

    /// Runs it, and expects it to be content.
    @discardableResult
    func watch(
        _ url: String, over transport: String, prefix: [String] = [], log: @autoclosure () -> String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Command.Outcome {
        let outcome = try await Command.run(prefix + arguments(url, over: transport), within: 30)
        #expect(
            outcome.status == 0 || cancelledItsOwnPause(outcome),
            "\(rawValue) \(url) \(transport): \(outcome.diagnostics) \(log().suffix(2_000))",
            sourceLocation: sourceLocation)
        guard self == .ffprobe else { return outcome }
        #expect(outcome.text.contains("h264,") && outcome.text.contains("aac,"), sourceLocation: sourceLocation)
        #expect(!outcome.text.contains("N/A"), "it decoded nothing", sourceLocation: sourceLocation)
        return outcome
    }
}

/// Each suite in here says what it has of the machine (`MachineShare`), and runs its tests one after another.
@Suite
enum EndToEnd {}
