import Capture
import Codecs
import Media

// The tracks of `absent.tracks` as users write them: `h264 1280x720 high`, `h265 1920x1080`, `aac 48000 stereo`, `opus mono`,
// `pcma 8000 mono`.

extension AnnouncedTrack {
    /// What a text must be, as the end of a sentence.
    static let expectation =
        "track: h264 or h265 with its size (h264 1280x720, or h264 1280x720 main), aac with rate and channels (aac 48000 stereo), "
        + "opus stereo, or pcma or pcmu (pcma 8000 mono)"

    /// The track that `text` describes; `nil` if it is none.
    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ").map(String.init)
        guard let codec = words.first else { return nil }
        let rest = words.dropFirst()
        switch codec {
        case "h264", "h265":
            guard let (width, height) = rest.first.flatMap(Self.size), rest.count <= (codec == "h264" ? 2 : 1) else {
                return nil
            }
            guard codec == "h264" else {
                self = .h265(width: width, height: height)
                return
            }
            let word = rest.dropFirst().first ?? "high"
            guard let profile = VideoEncoderSettings.Profile(rawValue: word) else { return nil }
            self = .h264(width: width, height: height, profile)
        case "aac":
            guard rest.count == 2, let rate = rest.first.flatMap(Self.rate),
                let count = rest.last.flatMap(Self.channels)
            else { return nil }
            self = .aac(rate, channelCount: count)
        case "opus":
            guard rest.count == 1, let count = rest.first.flatMap(Self.channels), count <= 2 else { return nil }
            self = .opus(channelCount: count)
        case "pcma", "pcmu":
            guard rest.count == 2, let rate = rest.first.flatMap({ Int32($0) }).flatMap(ClockRate.init),
                (8_000...48_000).contains(rate.hertz), let count = rest.last.flatMap(Self.channels),
                let format = G711(codec == "pcma" ? .a : .mu, sampleRate: rate, channelCount: count)
            else { return nil }
            self = .g711(format)
        default: return nil
        }
    }

    /// The text that makes this track.
    var text: String {
        switch self {
        case .h264(let width, let height, let profile): "h264 \(width)x\(height) \(profile.rawValue)"
        case .h265(let width, let height): "h265 \(width)x\(height)"
        case .aac(let rate, let count): "aac \(rate.hertz) \(Self.word(count))"
        case .opus(let count): "opus \(Self.word(count))"
        case .g711(let format):
            "\(format.law == .a ? "pcma" : "pcmu") \(format.sampleRate.hertz) \(Self.word(format.channelCount))"
        }
    }

    /// Even, so that the chroma planes have half the size.
    private static func size(_ text: String) -> (Int, Int)? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], width % 2 == 0, height % 2 == 0,
            (16...8192).contains(width), (16...8192).contains(height)
        else { return nil }
        return (width, height)
    }

    /// The rates of AAC-LC that have a number in its configuration and that encoders support.
    private static func rate(_ text: String) -> ClockRate? {
        let known: [Int32] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000]
        return Int32(text).flatMap { known.contains($0) ? ClockRate(hertz: $0) : nil }
    }

    private static func channels(_ text: String) -> Int? {
        switch text {
        case "mono": 1
        case "stereo": 2
        default: Int(text).flatMap { (1...8).contains($0) && $0 != 7 ? $0 : nil }
        }
    }

    private static func word(_ channelCount: Int) -> String {
        switch channelCount {
        case 1: "mono"
        case 2: "stereo"
        default: "\(channelCount)"
        }
    }
}

extension Entry {
    /// At most one track of each kind.
    static func announcedTracks(
        _ key: String, _ member: WritableKeyPath<Section, [AnnouncedTrack]>, _ reason: String
    ) -> Self {
        list(
            key, member, of: AnnouncedTrack.expectation, maximumCount: 2, reason, parse: AnnouncedTrack.init,
            show: \.text)
    }
}
