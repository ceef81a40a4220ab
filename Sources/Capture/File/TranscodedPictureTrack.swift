import Codecs
import Media
import Muxing
import Streams

/// Pictures of another codec than H.264: decoded, scaled to an even size, and coded anew.
final class TranscodedPictureTrack: FileTrack {
    let track: Track
    private let source: DemuxedTrack
    private let encoder: VideoEncoder
    private let scaler: Scaler
    private var decoder: VideoDecoder
    private let interval: Int64
    private var offset: Int64 = 0
    private var next: Int64 = 0
    private var lastInput = Int64.min

    /// About 6 Mbit/s at 1080p and 30 pictures a second.
    private static let bitsPerPixel = 0.1

    init(_ source: DemuxedTrack, id: TrackID) throws(SourceFailure) {
        self.source = source
        interval = source.frameNanoseconds.map { min(max($0, 1_000_000), 1_000_000_000) } ?? PipeTimeline.usualInterval
        var settings = VideoEncoder.Settings()
        settings.width = max(16, source.width & ~1)
        settings.height = max(16, source.height & ~1)
        settings.frameRate = VideoEncoder.FrameRate(Int32(1_000_000_000_000 / interval), 1000) ?? .thirty
        let rate = settings.frameRate.framesPerSecond
        settings.bitrate = max(500_000, Int(Double(settings.width * settings.height) * rate * Self.bitsPerPixel))
        settings.gopFrames = max(1, Int(rate * 2))
        do {
            decoder = try VideoDecoder(source.parameters)
            encoder = try VideoEncoder(settings)
        } catch {
            throw SourceFailure(error)
        }
        scaler = Scaler(width: settings.width, height: settings.height)
        track = Track(id: id, clockRate: .video, format: .h264(encoder.parameterSets))
    }

    /// Decoders that have been emptied take nothing more: each pass has its own.
    func beginPass(offset: Int64) throws(SourceFailure) {
        self.offset = offset
        next = 0
        do { decoder = try VideoDecoder(source.parameters) } catch { throw SourceFailure(error) }
    }

    func units(of packet: DemuxedPacket) throws(SourceFailure) -> [TimedUnit] {
        do {
            return try encode(
                try decode(packet.bytes) { bytes throws(CodecFailure) in
                    try decoder.decode(bytes, presentationTime: packet.presentation, decodeTime: packet.decode)
                })
        } catch {
            throw SourceFailure(error)
        }
    }

    func endPass() throws(SourceFailure) -> [TimedUnit] {
        do { return try encode(try decoder.finish()) } catch { throw SourceFailure(error) }
    }

    private func encode(_ pictures: [DecodedPicture]) throws(CodecFailure) -> [TimedUnit] {
        var result: [TimedUnit] = []
        for picture in pictures {
            let time = (picture.presentationTime ?? next) &+ offset
            next = (time &- offset) &+ interval
            // The encoder wants rising times; damaged ones are passed over.
            guard time > lastInput else { continue }
            lastInput = time
            let coded = try encoder.encode(
                try scaler.scale(picture), track: track.id,
                presentationTime: MediaTime(nanoseconds: time, rate: .nanoseconds), forcingRandomAccess: false)
            result += coded.map { TimedUnit($0, duration: interval) }
        }
        return result
    }
}
