import Codecs
import Media
import Muxing
import Streams

/// Transcodes audio to AAC-LC.
final class TranscodedAudioTrack: TranscodedTrack {
    let track: Track
    let source: DemuxedTrack
    var decoder: AudioDecoder
    var offset: Int64 = 0
    private let encoder: AudioEncoder
    private let resampler: Resampler
    /// The time of the encoder's next input sample, in nanoseconds.
    private var next: Int64?

    /// A time that differs by more is adopted; smaller differences are the container's rounding.
    private static let tolerance: Int64 = 50_000_000

    init(_ source: DemuxedTrack, _ settings: AudioEncoder.Settings, id: TrackID) throws(SourceFailure) {
        self.source = source
        do {
            decoder = try AudioDecoder(source.parameters)
            encoder = try AudioEncoder(settings)
        } catch {
            throw SourceFailure(error)
        }
        resampler = Resampler(sampleRate: settings.sampleRate, channelCount: settings.channelCount)
        track = Track(id: id, format: .aac(encoder.configuration))
    }

    func encode(_ audioFrames: [DecodedAudio]) throws(CodecFailure) -> [TimedUnit] {
        var result: [TimedUnit] = []
        let rate = track.clockRate
        for decoded in audioFrames {
            let waiting = rate.nanoseconds(inTicks: Int64(resampler.availableSampleCount))
            if let presentation = decoded.presentationTime.map({ $0 &+ offset }) {
                // The samples in the resampler belong before this frame.
                let start = presentation &- waiting
                if next.map({ abs($0 &- start) > Self.tolerance }) ?? true { next = max(start, next ?? start) }
            }
            try resampler.push(decoded)
            while let frame = try resampler.take() {
                let start = next ?? offset
                next = start &+ rate.nanoseconds(inTicks: Int64(frame.sampleCount))
                let encoded = try encoder.encode(
                    frame, track: track.id, presentationTime: MediaTime(nanoseconds: start, rate: .nanoseconds))
                result += encoded.map {
                    TimedUnit($0, duration: rate.nanoseconds(inTicks: Int64(AAC.samplesPerAccessUnit)))
                }
            }
        }
        return result
    }
}
