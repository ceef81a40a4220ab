import CFFmpeg
import Media

extension LibavEncoder {
    /// An open codec context, and the upload that feeds it with frames.
    struct Opened {
        let context: CodecContext
        let upload: FrameUpload

        init(
            _ model: EncoderModel, _ input: EncoderModel.Input, _ settings: VideoEncoderSettings
        ) throws(CodecFailure) {
            context = try CodecContext(Self.codec(of: model))
            // Checked before the device is opened, because a driver's error about a size is harder to read.
            try settings.check()
            upload = try FrameUpload(
                input, copiesInput: model.copiesInput, width: settings.width, height: settings.height)
            Self.describeFrame(settings, to: context.pointer)
            Self.configureGOP(settings, model, in: context.pointer)
            Self.limitRate(of: context.pointer, settings)
            try upload.attach(to: context.pointer)
            try context.open(
                options: LowLatencyOption.options(of: model.name, settings),
                remedy: "choose another encoder, or auto, and check size, bitrate and profile")
        }
    }
}

extension LibavEncoder.Opened {
    private static func codec(of model: EncoderModel) throws(CodecFailure) -> UnsafePointer<AVCodec> {
        let name = model.name
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw CodecFailure(
                reason: "no encoder is called \(name)",
                remedy: "install a libavcodec that has it; `ffmpeg -encoders` lists the names")
        }
        if codec.pointee.id == model.codec.libavcodecID { return codec }
        throw CodecFailure(
            reason: "\(name) does not encode \(model.codec == .h265 ? "H.265" : "H.264")",
            remedy: "choose libx264, or auto")
    }

    private static func describeFrame(
        _ settings: VideoEncoderSettings, to context: UnsafeMutablePointer<AVCodecContext>
    ) {
        context.pointee.width = CInt(settings.width)
        context.pointee.height = CInt(settings.height)
        // The encoder counts frames; their times are kept separately. So skipped frames do not disturb its rate control,
        // and the sequence parameter set has the real frame rate.
        context.pointee.framerate = AVRational(num: settings.frameRate.numerator, den: settings.frameRate.denominator)
        context.pointee.time_base = AVRational(num: settings.frameRate.denominator, den: settings.frameRate.numerator)
        context.pointee.color_range = AVCOL_RANGE_MPEG
        // These primaries and (nearly) this transfer curve are right for cameras and screens. Only the matrix differs visibly.
        context.pointee.color_primaries = AVCOL_PRI_BT709
        context.pointee.color_trc = AVCOL_TRC_BT709
        context.pointee.colorspace = (settings.matrix ?? .customary(height: settings.height)).space
    }

    /// The GOP length on the encoder's side: `VideoEncoder` requests each IDR picture, so that the GOP length can change at any
    /// time. The encoder itself makes one only after minutes. The value is below 2¹⁵ because Quick Sync counts in 16 bits.
    private static let maximumGOPFrames: CInt = 30_000

    private static func configureGOP(
        _ settings: VideoEncoderSettings, _ model: EncoderModel, in context: UnsafeMutablePointer<AVCodecContext>
    ) {
        // With intra refresh, the columns pass over the frame once in this time.
        let usesIntraRefresh = model.usesIntraRefresh(settings)
        context.pointee.gop_size = usesIntraRefresh ? CInt(settings.gopFrames) : maximumGOPFrames
        context.pointee.max_b_frames = 0
        context.pointee.thread_count = CInt(settings.threads)
        // Frame threads would delay frames.
        context.pointee.thread_type = FF_THREAD_SLICE
    }

    /// Sets the bitrate and the decoder buffer that goes with it. This works on an open encoder too, if its model supports that.
    static func limitRate(
        of context: UnsafeMutablePointer<AVCodecContext>, _ settings: VideoEncoderSettings
    ) {
        let rate = Int64(settings.bitrate)
        let bitsPerFrame = rate * Int64(settings.frameRate.denominator) / Int64(settings.frameRate.numerator)
        context.pointee.bit_rate = rate
        context.pointee.rc_max_rate = rate
        context.pointee.rc_buffer_size = CInt(clamping: bitsPerFrame * Int64(settings.bufferFrames))
    }

    /// Encodes one grey frame and returns its parameter sets. The encoder cannot be used afterwards.
    func encodeOneFrame(_ settings: VideoEncoderSettings) throws(CodecFailure) -> H264.ParameterSets {
        let frame = try VideoFrame(width: settings.width, height: settings.height)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        let uploaded = try upload.upload(frame)
        // As in normal operation: the surface has no other owner until the encoder has taken it.
        defer { withExtendedLifetime(uploaded) {} }
        uploaded.pointer.pointee.pts = 0
        var encoded: [EncodedFrame] = []
        try context.send(frame: uploaded.pointer)
        try context.drainPackets { packet in EncodedFrame(packet).map { encoded.append($0) } }
        if !encoded.contains(where: \.hasSlices) {
            // An encoder that holds back the first frame returns it at the end of the input.
            try context.send(frame: nil)
            try context.drainPackets { packet in EncodedFrame(packet).map { encoded.append($0) } }
        }
        guard encoded.contains(where: \.isInstantaneousRefresh),
            let sets = encoded.lazy.compactMap(\.parameterSets).first
        else {
            throw CodecFailure(
                reason: "\(context.name) did not start with an IDR picture and parameter sets",
                remedy: "choose another encoder, or auto")
        }
        return sets
    }
}
