import CFFmpeg

/// An image file: PNG, JPEG, BMP, WebP, TIFF, GIF or a portable format (PPM).
public enum StillImage {
    /// Decodes the (first) image of a file. The format is recognised by the signature at the start of the file.
    public static func decode(_ bytes: [UInt8]) throws(CodecFailure) -> DecodedVideoFrame {
        guard let codec = codec(of: bytes) else {
            throw CodecFailure(
                reason: "it is not an image in a known format",
                remedy: "save it as PNG, JPEG, BMP, WebP, TIFF, GIF or PPM")
        }
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        guard let parameters else { throw .outOfMemory }
        parameters.pointee.codec_id = codec
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        let decoder = try Decoder<DecodedVideoFrame>(parameters)
        // Some decoders hold back a frame until they know that no other follows.
        let frames = try decoder.decode(bytes, presentationTime: nil, decodeTime: nil) + (try decoder.finish())
        guard let frame = frames.first else {
            throw CodecFailure(reason: "the image is damaged or incomplete", remedy: "save it again")
        }
        return frame
    }

    private static func codec(of bytes: [UInt8]) -> AVCodecID? {
        signatures.first { bytes.starts(with: $0.bytes) && bytes.dropFirst($0.skipping).starts(with: $0.rest) }?.codec
    }

    /// The bytes at the start of a file, and the bytes expected behind them.
    private struct Signature {
        let bytes: [UInt8]
        var skipping = 0
        var rest: [UInt8] = []
        let codec: AVCodecID

        init(_ bytes: [UInt8], skipping: Int = 0, rest: String = "", _ codec: AVCodecID) {
            (self.bytes, self.skipping, self.rest, self.codec) = (bytes, skipping, Array(rest.utf8), codec)
        }
    }

    private static let signatures = [
        Signature([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], AV_CODEC_ID_PNG),
        Signature([0xFF, 0xD8, 0xFF], AV_CODEC_ID_MJPEG),
        Signature(Array("BM".utf8), AV_CODEC_ID_BMP),
        Signature(Array("RIFF".utf8), skipping: 8, rest: "WEBP", AV_CODEC_ID_WEBP),
        Signature([0x49, 0x49, 0x2A, 0x00], AV_CODEC_ID_TIFF),
        Signature([0x4D, 0x4D, 0x00, 0x2A], AV_CODEC_ID_TIFF),
        Signature(Array("GIF8".utf8), AV_CODEC_ID_GIF),
        Signature(Array("P5".utf8), AV_CODEC_ID_PGM),
        Signature(Array("P6".utf8), AV_CODEC_ID_PPM),
    ]
}
