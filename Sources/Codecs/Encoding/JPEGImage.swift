import CFFmpeg

/// A frame as a JPEG file (JFIF) with square pixels.
public struct JPEGImage: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// The file.
    public let bytes: [UInt8]

    /// The quantizer of all files, from 2 (finest) to 31: text is legible, and 1280×720 pixels take about 100 KB.
    private static let quantizer = 4

    /// Encodes a frame, which takes a few milliseconds.
    ///
    /// - Parameter width: in pixels. `nil`, and any that is not smaller, mean the frame's own.
    public init(_ frame: DecodedVideoFrame, width: Int? = nil) throws(CodecFailure) {
        let own = (frame.width, frame.height)
        let size = Self.fittingSize(of: own, pixel: frame.sampleAspectRatio, width: width)
        let scaled = try Scaler(width: size.width, height: size.height, for: .jpeg).scale(frame)
        (self.width, self.height) = size
        bytes = try Self.encode(scaled)
    }

    /// The size of the image: the frame's proportions as they are displayed, never enlarged, with even sides because chroma is
    /// halved.
    ///
    /// - Parameters:
    ///   - frame: the frame's size in pixels.
    ///   - pixel: the sample aspect ratio of the frame; (1, 1) for square pixels.
    static func fittingSize(
        of frame: (width: Int, height: Int), pixel: (Int, Int), width: Int?
    ) -> (width: Int, height: Int) {
        let isPlausible = (1...65_536).contains(pixel.0) && (1...65_536).contains(pixel.1)
        let (horizontal, vertical) = isPlausible ? pixel : (1, 1)
        var (ownWidth, ownHeight) = frame
        // The longer side of a pixel stays, so that nothing is enlarged.
        if horizontal > vertical {
            ownHeight = ownHeight * vertical / horizontal
        } else {
            ownWidth = ownWidth * horizontal / vertical
        }
        let target = min(width ?? ownWidth, ownWidth)
        let height = target == ownWidth ? ownHeight : (ownHeight * target + ownWidth / 2) / max(ownWidth, 1)
        return (even(target), even(height))
    }

    /// The even number that is not greater; at least 16, the smallest side of a frame.
    private static func even(_ side: Int) -> Int { max(16, side & ~1) }

    private static func encode(_ frame: VideoFrame) throws(CodecFailure) -> [UInt8] {
        guard let codec = avcodec_find_encoder_by_name("mjpeg") else {
            throw CodecFailure(
                reason: "no JPEG encoder is installed", remedy: "install libavcodec with its encoder mjpeg")
        }
        let context = try CodecContext(codec)
        let pointer = context.pointer
        (pointer.pointee.width, pointer.pointee.height) = (CInt(frame.width), CInt(frame.height))
        pointer.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        pointer.pointee.color_range = AVCOL_RANGE_JPEG
        // A single frame has no rate, but the encoder needs one.
        pointer.pointee.time_base = AVRational(num: 1, den: 25)
        pointer.pointee.flags |= AV_CODEC_FLAG_QSCALE
        pointer.pointee.global_quality = CInt(quantizer) * FF_QP2LAMBDA
        // Threads would take longer to start than a frame to encode.
        pointer.pointee.thread_count = 1
        try context.open(remedy: "choose another width")
        let reference = frame.reference.pointer
        reference.pointee.color_range = AVCOL_RANGE_JPEG
        reference.pointee.quality = pointer.pointee.global_quality
        reference.pointee.pts = 0
        var bytes: [UInt8] = []
        for input in [reference, nil] {
            try context.send(frame: input)
            try context.drainPackets { packet in
                bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
            }
        }
        return bytes
    }
}
