import CFFmpeg
import Media

/// Decodes video of any codec that libavcodec supports. Confined to one thread.
public final class VideoDecoder: FrameDecoder {
    private let decoder: Decoder<DecodedVideoFrame>

    public init(_ parameters: UnsafePointer<AVCodecParameters>) throws(CodecFailure) {
        decoder = try Decoder(parameters)
    }

    /// Opens a decoder for a codec with in-band parameter sets.
    public init(_ codec: Codec = .h264, delay: DecodingDelay = .codecDefault) throws(CodecFailure) {
        decoder = try Decoder(codec, configuration: [], delay: delay)
    }

    public func decode(
        _ bytes: UnsafeRawBufferPointer, presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [DecodedVideoFrame] {
        try decoder.decode(bytes, presentationTime: presentationTime, decodeTime: decodeTime)
    }

    /// Decodes a whole access unit of NAL units. The times of the frames are in ticks of the unit's clock.
    public func decode(_ unit: AccessUnit) throws(CodecFailure) -> [DecodedVideoFrame] { try decode([unit]) }

    /// Decodes all parts of an access unit of NAL units.
    func decode(_ parts: [AccessUnit]) throws(CodecFailure) -> [DecodedVideoFrame] {
        guard let first = parts.first else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.bytes.count + 4 * $1.units.count })
        for part in parts {
            for range in part.units {
                bytes += [0, 0, 0, 1]
                bytes += part.bytes[range]
            }
        }
        return try decoder.decode(
            bytes, presentationTime: first.presentationTime.ticks, decodeTime: first.decodeTime.ticks)
    }

    public func finish() throws(CodecFailure) -> [DecodedVideoFrame] {
        try decoder.finish()
    }
}

/// A decoded frame in the decoder's pixel format; `Scaler` converts it to I420. Confined to one thread.
public final class DecodedVideoFrame: DecodedMedia {
    let reference: FrameReference

    init(_ reference: FrameReference) {
        self.reference = reference
    }

    public var width: Int { Int(reference.pointer.pointee.width) }
    public var height: Int { Int(reference.pointer.pointee.height) }
    var isRGB: Bool {
        let description = av_pix_fmt_desc_get(AVPixelFormat(reference.pointer.pointee.format))
        return description.map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0 } ?? false
    }
    /// In the time base of the packets that it was decoded from; `nil` if they had no time.
    public var presentationTime: Int64? { reference.presentationTime }
}

extension VideoDecoder {
    /// Opens a decoder for the JPEG frames of cameras. Each frame is complete in itself.
    public static func motionJPEG() throws(CodecFailure) -> VideoDecoder {
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        guard let parameters else { throw .outOfMemory }
        parameters.pointee.codec_id = AV_CODEC_ID_MJPEG
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        return try VideoDecoder(UnsafePointer(parameters))
    }
}
