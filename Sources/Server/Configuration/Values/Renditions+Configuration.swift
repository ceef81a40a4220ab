import RateControl
import Streams

extension Renditions {
    /// The renditions of a path; `nil` if its viewers stay.
    ///
    /// - Parameter streams: the streams of all paths, by name.
    init?(of name: String, in configuration: Configuration, _ streams: (String) -> Streams.Stream?) {
        let paths = configuration.servedPaths
        guard let path = paths[name], path.rate == .renditions else { return nil }
        let substreams = paths.filter { $0.value.source.parent == name }.compactMap { name, path in
            streams(name).map { Substream($0, rate: path.isTrack ? nil : path.encodedRate) }
        }
        self.init(own: path.encodedRate, substreams: substreams)
    }
}

extension Configuration.Path {
    /// Whether a publisher has encoded it.
    fileprivate var isTrack: Bool {
        if case .track = source { true } else { false }
    }

    /// What a viewer receives of the stream if it is encoded here: video, audio and headers.
    fileprivate var encodedRate: DataRate {
        DataRate(bitsPerSecond: Int64(video.bitrate + (audio.enabled ? audio.bitrate : 0)))
            * (1 / (1 - Self.headerShare))
    }

    /// 40 to 60 bytes of 1200 are headers.
    private static let headerShare = 0.05
}
