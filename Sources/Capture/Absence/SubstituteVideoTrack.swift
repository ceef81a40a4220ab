import Codecs
import Media
import Muxing
import Streams

/// Transcodes the video of a file to the announced codec, size and profile.
final class SubstituteVideoTrack: TranscodedTrack {
    let source: DemuxedTrack
    let track: Track
    var decoder: VideoDecoder
    var offset: Int64 = 0
    private let encoder: SubstituteEncoder
    private let scaler: Scaler
    private var times: FrameTimes

    /// - Parameters:
    ///   - id: of the track in the file's playback.
    ///   - announced: the track that it takes the place of.
    init(_ source: DemuxedTrack, as announced: Track, id: TrackID) throws(SourceFailure) {
        self.source = source
        track = Track(id: id, clockRate: announced.clockRate, format: announced.format)
        times = FrameTimes(of: source)
        var settings = VideoEncoderSettings()
        settings.frameRate = times.frameRate
        settings.gopFrames = max(1, Int(Self.keyframeInterval / times.interval))
        do throws(CodecFailure) {
            decoder = try VideoDecoder(source.parameters)
            guard let encoder = try SubstituteEncoder(announced.format, settings) else {
                throw CodecFailure(reason: "the announced track is not video")
            }
            self.encoder = encoder
        } catch {
            throw SourceFailure(error)
        }
        scaler = Scaler(width: encoder.width, height: encoder.height, fit: .letterbox)
    }

    /// In nanoseconds.
    private static let keyframeInterval: Int64 = 2_000_000_000

    func encode(_ frames: [DecodedVideoFrame]) throws(CodecFailure) -> [TimedUnit] {
        var result: [TimedUnit] = []
        for frame in frames {
            let isFirst = times.isAtStart
            guard let time = times.time(of: frame, offset: offset) else { continue }
            let units = try encoder.encode(
                try scaler.scale(frame), track: track.id,
                presentationTime: MediaTime(nanoseconds: time, rate: .nanoseconds), forcingKeyframe: isFirst)
            result += units.map { TimedUnit($0, duration: times.interval) }
        }
        return result
    }
}
