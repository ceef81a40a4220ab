import CFFmpeg

extension VideoDecoder {
    /// A decoder of JPEG pictures as cameras send them, each whole in itself.
    public static func motionJPEG() throws(CodecFailure) -> VideoDecoder {
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        guard let parameters else { throw .outOfMemory }
        parameters.pointee.codec_id = AV_CODEC_ID_MJPEG
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        return try VideoDecoder(UnsafePointer(parameters))
    }
}
