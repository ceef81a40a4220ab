import Codecs
import Media
import Muxing
import Streams

/// A track that is decoded and encoded again: the common part of video and audio.
protocol TranscodedTrack: FileTrack {
    associatedtype Decoding: FrameDecoder

    var source: DemuxedTrack { get }
    /// A decoder accepts no input after its end was flushed, so each pass has its own.
    var decoder: Decoding { get set }
    /// Added to the times of this pass.
    var offset: Int64 { get set }

    /// Encodes the decoder's output.
    func encode(_ frames: [Decoding.Frame]) throws(CodecFailure) -> [TimedUnit]
}

extension TranscodedTrack {
    func beginPass(offset: Int64) throws(SourceFailure) {
        self.offset = offset
        do { decoder = try Decoding(source.parameters) } catch { throw SourceFailure(error) }
    }

    func units(of packet: DemuxedPacket) throws(SourceFailure) -> [TimedUnit] {
        do { return try encode(try decode(packet)) } catch { throw SourceFailure(error) }
    }

    func endPass() throws(SourceFailure) -> [TimedUnit] {
        do { return try encode(try decoder.finish()) } catch { throw SourceFailure(error) }
    }

    private func decode(_ packet: DemuxedPacket) throws(CodecFailure) -> [Decoding.Frame] {
        try packet.bytes.span.bytes.withUnsafeBytes { (bytes) throws(CodecFailure) in
            try decoder.decode(bytes, presentationTime: packet.presentation, decodeTime: packet.decode)
        }
    }
}

extension TimedUnit {
    /// A unit from an encoder, with times on the file's timeline.
    init(_ unit: AccessUnit, duration: Int64) {
        self.init(
            track: unit.track, decode: unit.decodeTime.nanoseconds, presentation: unit.presentationTime.nanoseconds,
            duration: duration, isKeyframe: unit.isKeyframe, units: unit.units.map { Array(unit.bytes[$0]) },
            encodeTiming: unit.encodeTiming)
    }
}

extension SourceFailure {
    init(_ failure: CodecFailure) { self.init(reason: failure.reason, remedy: failure.remedy) }
}

extension ClockRate {
    /// A clock rate of one tick per nanosecond, which avoids rounding.
    static let nanoseconds = ClockRate(hertz: 1_000_000_000) ?? .video
}
