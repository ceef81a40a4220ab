import HLS
import HTTP
import Media
import Streams

/// A path that clients of HTTP can watch.
public struct LivePath: Sendable {
    public let stream: Streams.Stream
    public let join: JoinOptions
    /// What players show about it.
    public let information: MultivariantPlaylist.Information

    public init(
        stream: Streams.Stream, join: JoinOptions, information: MultivariantPlaylist.Information = .init()
    ) {
        (self.stream, self.join, self.information) = (stream, join, information)
    }
}

/// What a client has chosen of a stream.
struct LiveSelection: Hashable, Sendable {
    /// The kinds of tracks that it wants.
    let kinds: Set<Codec.Kind>
    /// The codecs that it can decode; `nil` for all.
    let codecs: Set<Codec>?
    /// After how much media the body ends, in nanoseconds; `nil` for never.
    let duration: Int64?

    /// The longest duration, in seconds: a day.
    private static let maximumSeconds = 86_400

    /// Reads `audio=0`, `video=0` and `duration=10`.
    init(_ query: Query) throws(Problem) {
        var kinds: Set<Codec.Kind> = []
        if try Self.isWanted(query["video"], "video") { kinds.insert(.video) }
        if try Self.isWanted(query["audio"], "audio") { kinds.insert(.audio) }
        guard !kinds.isEmpty else { throw Problem(.badRequest, "neither video nor audio is chosen") }
        self.kinds = kinds
        codecs = nil
        guard let text = query["duration"] else {
            duration = nil
            return
        }
        guard let seconds = Int(text), (1...Self.maximumSeconds).contains(seconds) else {
            throw Problem(.badRequest, "duration is a number of seconds, from 1 to \(Self.maximumSeconds)")
        }
        duration = Int64(seconds) * 1_000_000_000
    }

    /// All tracks with these codecs.
    init(codecs: Set<Codec>?) {
        (kinds, self.codecs, duration) = ([.video, .audio], codecs, nil)
    }

    func admits(_ track: Track) -> Bool {
        kinds.contains(track.kind) && codecs?.contains(track.codec) ?? true
    }

    private static func isWanted(_ value: String?, _ name: String) throws(Problem) -> Bool {
        switch value {
        case nil, "1": true
        case "0": false
        default: throw Problem(.badRequest, "\(name) is 0 or 1")
        }
    }
}
