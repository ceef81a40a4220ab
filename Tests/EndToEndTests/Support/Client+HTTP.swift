import TestSupport
import Testing

/// The clients with streams over HTTP.
extension Client {
    /// Plays two seconds of video and audio. GStreamer plays an MP4 file, not HLS.
    func argumentsOverHTTP(_ url: String) -> [String] {
        switch self {
        case .ffmpeg:
            ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", url, "-map", "0:v:0", "-map", "0:a:0"]
                + ["-frames:v", "60", "-frames:a", "80", "-f", "null", "-"]
        case .ffprobe:
            ["ffprobe", "-v", "error", "-read_intervals", "%+2", "-count_frames"]
                + ["-show_entries", "stream=codec_name,nb_read_frames", "-of", "csv=p=0", url]
        case .gstreamer:
            [
                "gst-launch-1.0", "-q", "souphttpsrc", "location=\(url)", "!", "qtdemux", "name=file",
                "file.video_0", "!", "queue", "!", "h264parse", "!", "avdec_h264", "!", "identity",
                "eos-after=60", "!", "fakesink",
                "file.audio_0", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "identity",
                "eos-after=60", "!", "fakesink",
            ]
        case .mpv:
            ["mpv", "--no-config", "--vo=null", "--ao=null", "--frames=60", url]
        }
    }

    /// Runs the client and expects it to succeed.
    func watchOverHTTP(
        _ url: String, within seconds: Double = 30, log: @autoclosure () -> String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await Command.run(argumentsOverHTTP(url), within: seconds)
        #expect(
            outcome.status == 0, "\(rawValue): \(outcome.diagnostics) \(log().suffix(2_000))",
            sourceLocation: sourceLocation)
        guard self == .ffprobe else { return }
        #expect(
            outcome.text.contains("h264,") && outcome.text.contains("aac,"), "\(outcome.text)",
            sourceLocation: sourceLocation)
        #expect(!outcome.text.contains("N/A"), "the client decoded nothing", sourceLocation: sourceLocation)
    }
}
