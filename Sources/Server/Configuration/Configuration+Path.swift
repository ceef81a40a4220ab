import Streams

extension Configuration {
    /// One stream: its source, and how Apus encodes it if it does.
    public struct Path: Hashable, Sendable {
        public var source = SourceSpecification.testCard
        /// The session name that players show; empty for the name of the path.
        public var title = ""
        public var description = ""
        /// Whether a file is played again when it ends. If not, the stream ends then.
        public var loop = true
        /// Whether and when it is also sent to a multicast group.
        public var multicast = Multicasting.off
        /// Whether and when it is also sent to its group as MPEG-TS.
        public var multicastTransportStream = Multicasting.off
        /// Replaces `join.mode` for this path.
        public var join: Join.Mode?
        /// Which of the frames that Apus encodes carry their capture time.
        public var timestamps = CaptureTimeSEI.keyframes
        /// Whether packets carry their capture time.
        public var absoluteCaptureTime = false
        public var effects = Effects()
        public var video = Video()
        public var audio = Audio()
        public var camera = Camera()

        public init() {}

        /// Whether it has a multicast group.
        public var isMulticast: Bool { multicast != .off || multicastTransportStream != .off }

        /// When a path is sent to its multicast group.
        public enum Multicasting: String, CaseIterable, Sendable {
            case off
            /// While at least one viewer has asked for it over RTSP.
            case onRequest
            /// Always, also for viewers without RTSP.
            case always
        }
    }

    /// How Apus encodes H.264: of the test card, of cameras, and of transcoded files, which keep their size and frame rate.
    public struct Video: Hashable, Sendable {
        public var encoder = "auto"
        /// Whether another encoder is used if the named one does not work.
        public var encoderFallback = true
        public var width = 1280
        public var height = 720
        /// How a substream with another aspect ratio shows the frames.
        public var fit = Fit.letterbox
        /// In frames per second.
        public var frameRate = 30
        /// In bit/s.
        public var bitrate = 2_500_000
        public var gopMilliseconds = 2000
        /// Whether the image is refreshed column by column instead of by keyframes.
        public var intraRefresh = false
        public var profile = Profile.high
        public var preset = Preset.superfast
        public var threads = 2

        public init() {}

        /// In pixels.
        public var size: (width: Int, height: Int) { (width, height) }

        /// Frames from one keyframe to the next, at least 1.
        public var gopFrames: Int { max(1, frameRate * gopMilliseconds / 1000) }

        public enum Fit: String, CaseIterable, Sendable {
            case letterbox, crop
        }

        public enum Profile: String, CaseIterable, Sendable {
            case baseline, main, high
        }

        public enum Preset: String, CaseIterable, Sendable {
            case ultrafast, superfast, veryfast, faster, fast, medium
        }
    }

    /// Settings of a camera.
    public struct Camera: Hashable, Sendable {
        /// A four-character code, or `auto`.
        public var format = "auto"
        /// Values by the names of the controls.
        public var controls: [String: String] = [:]

        public init() {}
    }

    /// How Apus encodes AAC: of the test card, of microphones, and of transcoded files.
    public struct Audio: Hashable, Sendable {
        public var enabled = true
        /// ALSA's name of the microphone of a camera's path; `none` for none.
        public var device = "default"
        public var sampleRate = SampleRate.hz48000
        public var channels = 2
        /// In bit/s.
        public var bitrate = 128_000

        public init() {}

        /// Sampling rates that AAC-LC and all players support, in Hz.
        public enum SampleRate: String, CaseIterable, Sendable {
            case hz16000 = "16000"
            case hz22050 = "22050"
            case hz24000 = "24000"
            case hz32000 = "32000"
            case hz44100 = "44100"
            case hz48000 = "48000"

            /// In Hz.
            public var hertz: Int { Int(rawValue) ?? 48_000 }
        }
    }
}

/// The source of a path as users write it: `testcard`, `-`, `stream:cam`, or a path in the file system.
public enum SourceSpecification: Hashable, Sendable, CustomStringConvertible {
    case testCard
    case standardInput
    /// The frames and the audio of another path, encoded again.
    case substream(of: String)
    /// A file, a fifo or a device: this is determined when it is opened.
    case path(String)

    /// The source that `text` names; `nil` if it is empty.
    public init?(_ text: String) {
        switch text {
        case "": return nil
        case "testcard": self = .testCard
        case "-": self = .standardInput
        default:
            let parent = text.hasPrefix("stream:") ? text.dropFirst(7) : nil
            self = parent.map { .substream(of: String($0.drop { $0 == "/" })) } ?? .path(text)
        }
    }

    /// The name of the path of which this is a substream; `nil` for other sources.
    var parent: String? {
        guard case .substream(let parent) = self else { return nil }
        return parent
    }

    /// Why the source cannot be served if it is a URL; `nil` if it is not a URL.
    var urlProblem: String? {
        guard case .path(let path) = self, path.firstMatch(of: /^[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil else {
            return nil
        }
        return
            "a URL cannot be a source yet; pipe it in: ffmpeg -i URL -an -c:v copy -bsf:v h264_mp4toannexb -f h264 - "
            + "| apus serve -"
    }

    public var description: String {
        switch self {
        case .testCard: "testcard"
        case .standardInput: "-"
        case .substream(let parent): "stream:\(parent)"
        case .path(let path): path
        }
    }
}
