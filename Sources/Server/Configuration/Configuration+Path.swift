import Streams

extension Configuration {
    /// One stream: where it comes from, and how it is encoded where Apus encodes it.
    public struct Path: Hashable, Sendable {
        public var source = SourceSpecification.testCard
        /// The session name that players show; empty for the path.
        public var title = ""
        public var description = ""
        /// Whether a file starts again at its end. Otherwise it is played once, and then the stream ends.
        public var loop = true
        /// Whether and when it is sent to a multicast group too.
        public var multicast = Multicasting.off
        /// Whether and when it is sent to its group as MPEG-TS too.
        public var multicastTransportStream = Multicasting.off
        /// Overrides `join.mode` for this path.
        public var join: Join.Mode?
        /// Which of the pictures that Apus codes carry their time of capture.
        public var timestamps = CaptureTimeSEI.keyframes
        /// Whether each packet tells its time of capture.
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
            /// All the time, also for who watches without RTSP.
            case always
        }
    }

    /// The H.264 of the test card, of cameras, and of files that are transcoded; those keep their size and rate.
    public struct Video: Hashable, Sendable {
        public var encoder = "auto"
        /// Whether others take the place of a named encoder that does not work.
        public var encoderFallback = true
        public var width = 1280
        public var height = 720
        /// What becomes of the original's pictures in a substream of other proportions.
        public var fit = Fit.letterbox
        public var frameRate = 30
        public var bitrate = 2_500_000
        public var gopMilliseconds = 2000
        /// Refreshes the picture in columns instead of by IDR pictures.
        public var intraRefresh = false
        public var profile = Profile.high
        public var preset = Preset.superfast
        public var threads = 2

        public init() {}

        /// In pixels.
        public var size: (width: Int, height: Int) { (width, height) }

        /// Frames from one IDR picture to the next, at least 1.
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

    /// What is adjusted of a camera.
    public struct Camera: Hashable, Sendable {
        /// A four-character code, or `auto`.
        public var format = "auto"
        /// Values by the names of the controls, as text.
        public var controls: [String: String] = [:]

        public init() {}
    }

    /// The AAC of the test card, of microphones, and of files whose sound is transcoded.
    public struct Audio: Hashable, Sendable {
        public var enabled = true
        /// The microphone that goes with a camera, as ALSA knows it; `none` for none.
        public var device = "default"
        public var sampleRate = SampleRate.hz48000
        public var channels = 2
        public var bitrate = 128_000

        public init() {}

        /// Rates that AAC-LC and all the players know, in Hz.
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

/// What a stream is made of, as written: `testcard`, `-`, `stream:cam`, or a path in the file system.
public enum SourceSpecification: Hashable, Sendable, CustomStringConvertible {
    case testCard
    case standardInput
    /// The pictures and the sound of another path, coded once more.
    case substream(of: String)
    /// A file, a fifo or a device: which it is shows when it is opened.
    case path(String)

    /// The source that `text` names; `nil` where it is empty.
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

    /// Name of the path that it is a substream of.
    var parent: String? {
        guard case .substream(let parent) = self else { return nil }
        return parent
    }

    /// Why the source, which is a URL, cannot be served; `nil` if it is none.
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
