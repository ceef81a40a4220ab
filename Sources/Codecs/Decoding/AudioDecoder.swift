import CFFmpeg
import Media

/// Decodes audio of any codec that libavcodec supports. Confined to one thread.
public final class AudioDecoder: FrameDecoder {
    private let decoder: Decoder<DecodedAudio>

    public init(_ parameters: UnsafePointer<AVCodecParameters>) throws(CodecFailure) {
        decoder = try Decoder(parameters)
    }

    /// Opens a decoder for AAC with this configuration.
    public init(_ configuration: AAC.AudioSpecificConfig) throws(CodecFailure) {
        decoder = try Decoder(.aac, configuration: configuration.bytes)
    }

    /// Opens a decoder for the access units of a track.
    public init(_ format: Track.Format) throws(CodecFailure) {
        switch format {
        case .aac(let configuration): decoder = try Decoder(.aac, configuration: configuration.bytes)
        case .opus(let channelCount):
            decoder = try Decoder(format.codec, sampleRate: Int(ClockRate.audio48k.hertz), channelCount: channelCount)
        case .g711(let g711):
            decoder = try Decoder(
                format.codec, sampleRate: Int(g711.sampleRate.hertz), channelCount: g711.channelCount)
        case .h264, .h265: throw CodecFailure(reason: "\(format.codec.facts.encodingName) is no audio")
        }
    }

    /// Opens a decoder for audio that viewers do not receive.
    public init(_ format: TranscodedFormat.Audio) throws(CodecFailure) {
        let id = avcodec_descriptor_get_by_name(format.libavcodecName)?.pointee.id ?? AV_CODEC_ID_NONE
        decoder = try Decoder(id, AVMEDIA_TYPE_AUDIO, audio: (format.sampleRate, format.channelCount))
    }

    public func decode(
        _ bytes: UnsafeRawBufferPointer, presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [DecodedAudio] {
        try decoder.decode(bytes, presentationTime: presentationTime, decodeTime: decodeTime)
    }

    /// Decodes one access unit. The times of the result are in ticks of the unit's clock.
    public func decode(_ unit: AccessUnit) throws(CodecFailure) -> [DecodedAudio] {
        try decoder.decode(
            unit.bytes, presentationTime: unit.presentationTime.ticks, decodeTime: unit.decodeTime.ticks)
    }

    public func finish() throws(CodecFailure) -> [DecodedAudio] {
        try decoder.finish()
    }
}

/// Decoded audio in the decoder's sample format; `Resampler` converts it to planar float. Confined to one thread.
public final class DecodedAudio: DecodedMedia {
    let reference: FrameReference

    init(_ reference: FrameReference) {
        self.reference = reference
    }

    /// Samples of each channel.
    public var sampleCount: Int { Int(reference.pointer.pointee.nb_samples) }
    /// Samples of each channel per second.
    public var sampleRate: Int { Int(reference.pointer.pointee.sample_rate) }
    public var channelCount: Int { Int(reference.pointer.pointee.ch_layout.nb_channels) }
    /// In the time base of the packets that it was decoded from; `nil` if they had no time.
    public var presentationTime: Int64? { reference.presentationTime }
}

extension Decoder {
    /// Opens a decoder for audio whose rate and channels are only described.
    fileprivate init(_ codec: Codec, sampleRate: Int, channelCount: Int) throws(CodecFailure) {
        try self.init(codec.libavcodecID, codec.libavcodecType, audio: (sampleRate, channelCount))
    }
}
