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
    private let interval: Int64
    /// The time of the next frame if it has none of its own.
    private var next = Int64.min
    private var lastInput = Int64.min

    /// - Parameters:
    ///   - id: of the track in the file's playback.
    ///   - announced: the track that it takes the place of.
    init(_ source: DemuxedTrack, as announced: Track, id: TrackID) throws(SourceFailure) {
        self.source = source
        track = Track(id: id, clockRate: announced.clockRate, format: announced.format)
        interval =
            source.frameNanoseconds.map { min(max($0, 1_000_000), 1_000_000_000) } ?? PipeTimeline.defaultInterval
        var settings = VideoEncoderSettings()
        settings.frameRate = FrameRate(Int32(1_000_000_000_000 / interval), 1000) ?? .thirty
        settings.gopFrames = max(1, Int(Self.keyframeInterval / interval))
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
            let time = frame.presentationTime.map { $0 &+ offset } ?? max(next, offset)
            next = time &+ interval
            // The encoder requires rising times; frames that violate this are dropped.
            guard time > lastInput else { continue }
            let isFirst = lastInput == .min
            lastInput = time
            let units = try encoder.encode(
                try scaler.scale(frame), track: track.id,
                presentationTime: MediaTime(nanoseconds: time, rate: .nanoseconds), forcingKeyframe: isFirst)
            result += units.map { TimedUnit($0, duration: interval) }
        }
        return result
    }
}
