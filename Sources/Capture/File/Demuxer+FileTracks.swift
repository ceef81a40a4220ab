import Codecs
import Media
import Muxing
import Streams

extension Demuxer {
    /// The next packet; `nil` at the end, and if reading was interrupted.
    func nextPacket() throws(SourceFailure) -> DemuxedPacket? {
        do {
            return try next()
        } catch {
            if error.isInterruption { return nil }
            throw SourceFailure(error)
        }
    }

    /// The tracks that turn packets into units: H.264, H.265, AAC, Opus and G.711 pass through unless there are effects, and the rest
    /// is transcoded.
    func fileTracks(_ control: EncoderControl, clock: PaceClock) throws(SourceFailure) -> [any FileTrack] {
        var all: [any FileTrack] = []
        for source in tracks { all.append(try fileTrack(source, id: TrackID(all.count), control, clock: clock)) }
        return all
    }

    private func fileTrack(
        _ source: DemuxedTrack, id: TrackID, _ control: EncoderControl, clock: PaceClock
    ) throws(SourceFailure) -> any FileTrack {
        switch source.format {
        case .h264 where !control.settings.filters.isEmpty, .h265 where !control.settings.filters.isEmpty:
            try TranscodedVideoTrack(source, control: control, clock: clock, id: id)
        case .h264(let sets, let lengthSize):
            PassthroughVideoTrack(
                source, .h264(sets), H264PictureReader(sets), lengthSize: lengthSize, id: id, hasTimes: hasTimes)
        case .h265(let sets, let lengthSize):
            PassthroughVideoTrack(
                source, .h265(sets), H265PictureReader(sets, interval: source.frameNanoseconds),
                lengthSize: lengthSize, id: id, hasTimes: hasTimes)
        case .aac(let configuration, let isADTS):
            PassthroughAudioTrack(.aac(configuration), isADTS: isADTS, id: id)
        case .opus(let channelCount):
            PassthroughAudioTrack(.opus(channelCount: channelCount), id: id)
        case .g711(let format):
            PassthroughAudioTrack(.g711(format), id: id)
        case .otherVideo:
            try TranscodedVideoTrack(source, control: control, clock: clock, id: id)
        case .otherAudio:
            try TranscodedAudioTrack(source, control.settings.audio ?? AudioEncoder.Settings(), id: id)
        }
    }
}
