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

    public func decode(
        _ bytes: UnsafeRawBufferPointer, presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [DecodedAudio] {
        try decoder.decode(bytes, presentationTime: presentationTime, decodeTime: decodeTime)
    }

    /// Decodes one AAC access unit. The times of the result are in ticks of the unit's clock.
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
