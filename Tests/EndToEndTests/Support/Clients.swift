import TestSupport
import Testing

/// The clients that play a stream in tests, each with arguments that make its exit status meaningful.
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

    /// Plays 60 frames with their audio over `transport` (udp, tcp or udp_multicast, as in FFmpeg).
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
                // Without a filter, because two filtered links that are made at the same time may disconnect one another
                // (gst-launch 1.22).
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

    /// At the end of the stream, rtspsrc sends PAUSE and cancels unfinished writes a moment later. This may cancel its own PAUSE
    /// or, with TLS, the connection before TEARDOWN, which it reports as an error: two lines and nothing else (GStreamer 1.22).
    func cancelledItsOwnPause(_ outcome: Command.Outcome) -> Bool {
        guard self == .gstreamer, outcome.status == 1 else { return false }
        let details = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("../gst/") }
        return details.count == 2 && details[0].contains("gst_rtspsrc_try_send")
            && ["gst_rtspsrc_pause", "gst_rtspsrc_close"].contains(where: details[1].contains)
    }

    /// Runs the client and expects it to succeed.
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
        #expect(!outcome.text.contains("N/A"), "the client decoded nothing", sourceLocation: sourceLocation)
        return outcome
    }
}

/// The namespace of the end-to-end suites. Each states its share of the machine (`MachineShare`) and runs its tests serially.
@Suite
enum EndToEnd {}
