import CFFmpeg

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
