import Foundation

/// Short generated video files, so that most tests need no other files.
public enum Clip: String, CaseIterable, Sendable {
    /// H.264 without B-frames, with an IDR frame per second, and stereo AAC.
    case plain = "plain.mp4"
    /// H.264 with three consecutive B-frames, an IDR frame every two seconds, AAC at 44 100 Hz.
    case bFrames = "b-frames.mp4"
    /// Ten seconds between IDR frames at 4 Mbit/s: too long for a fast start.
    case longGOPs = "long-groups.mp4"
    /// H.265 with three consecutive B-frames, an IDR frame every second, and stereo AAC.
    case h265 = "h265.mp4"
    /// H.264 without B-frames, and stereo Opus.
    case opus = "opus.mkv"
    /// H.264 without B-frames, and G.711 (A-law) at 8 kHz.
    case g711 = "g711.mkv"
    /// Motion JPEG and PCM, which the server must transcode.
    case needsTranscoding = "foreign.mkv"

    private var arguments: [String] {
        switch self {
        case .plain:
            Self.input(rate: 30, sampleRate: 48_000, seconds: 6)
                + Self.h264(["-bf", "0", "-g", "30", "-b:v", "1M"]) + ["-c:a", "aac", "-ac", "2"]
        case .bFrames:
            Self.input(rate: 25, sampleRate: 44_100, seconds: 6)
                + Self.h264(["-bf", "3", "-g", "50", "-b:v", "1M"]) + ["-c:a", "aac"]
        case .longGOPs:
            Self.input(rate: 30, sampleRate: 48_000, seconds: 20, filter: ",noise=alls=30:allf=t")
                + Self.h264([
                    "-bf", "0", "-g", "300", "-keyint_min", "300", "-sc_threshold", "0", "-b:v", "4M", "-maxrate",
                    "4M", "-bufsize", "1M",
                ]) + ["-c:a", "aac"]
        case .h265:
            Self.input(rate: 25, sampleRate: 48_000, seconds: 6)
                + ["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-tag:v", "hvc1"]
                + ["-x265-params", "log-level=none:info=0:bframes=3:keyint=25:min-keyint=25:scenecut=0:open-gop=0"]
                + ["-c:a", "aac", "-ac", "2"]
        case .opus:
            Self.input(rate: 30, sampleRate: 48_000, seconds: 6)
                + Self.h264(["-bf", "0", "-g", "30", "-b:v", "1M"]) + ["-c:a", "libopus", "-ac", "2"]
        case .g711:
            Self.input(rate: 30, sampleRate: 8_000, seconds: 6, filter: "")
                + Self.h264(["-bf", "0", "-g", "30", "-b:v", "1M"])
                + ["-af", "vibrato=f=0.3:d=0.9", "-c:a", "pcm_alaw", "-ac", "1"]
        case .needsTranscoding:
            Self.input(rate: 25, sampleRate: 48_000, seconds: 4)
                + ["-c:v", "mjpeg", "-q:v", "5", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le"]
        }
    }

    private static func input(rate: Int, sampleRate: Int, seconds: Int, filter: String = "") -> [String] {
        [
            "-f", "lavfi", "-i", "testsrc2=s=640x360:r=\(rate)\(filter)", "-f", "lavfi", "-i",
            "sine=f=440:r=\(sampleRate)", "-t", "\(seconds)",
        ]
    }

    private static func h264(_ more: [String]) -> [String] {
        ["-c:v", "libx264", "-preset", "superfast", "-pix_fmt", "yuv420p"] + more
    }

    /// Returns the clip's path; creates the file if it does not exist and keeps it for the next run.
    public func path() async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-clips-\(getuid())")
        let finished = folder.appending(path: rawValue)
        if FileManager.default.fileExists(atPath: finished.path) { return finished.path }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let unfinished = folder.appending(path: "\(UUID().uuidString)-\(rawValue)")
        let outcome = try await Command.run(
            ["ffmpeg", "-nostdin", "-v", "error"] + arguments + [unfinished.path], within: 60)
        guard outcome.status == 0 else { throw Command.Failure.cannotStart(outcome.diagnostics) }
        // Renamed in one step, so that no other process reads an incomplete file.
        guard rename(unfinished.path, finished.path) == 0 else { throw Command.Failure.cannotStart(finished.path) }
        return finished.path
    }
}
