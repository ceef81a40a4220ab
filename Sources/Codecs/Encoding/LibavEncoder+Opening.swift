import CFFmpeg
import Media

extension LibavEncoder {
    /// A context that is open, and what brings pictures into it.
    struct Opened {
        let context: CodecContext
        let pictures: FrameUpload

        init(
            _ model: EncoderModel, _ input: EncoderModel.Input, _ settings: VideoEncoder.Settings
        ) throws(CodecFailure) {
            context = try CodecContext(Self.codec(named: model.name))
            // Before the device is opened: a driver's complaint about a size is harder to read.
            try settings.check()
            pictures = try FrameUpload(
                input, copiesInput: model.copiesInput, width: settings.width, height: settings.height)
            Self.describeFrame(settings, to: context.pointer)
            Self.configureGOP(settings, model, in: context.pointer)
            Self.limitRate(of: context.pointer, settings)
            try pictures.attach(to: context.pointer)
            try context.open(
                options: LowLatencyOption.options(of: model.name, settings),
                remedy: "choose another encoder, or auto, and check size, bitrate and profile")
        }
    }
}

extension LibavEncoder.Opened {
    private static func codec(named name: String) throws(CodecFailure) -> UnsafePointer<AVCodec> {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw CodecFailure(
                reason: "no encoder is called \(name)",
                remedy: "install a libavcodec that has it, or see `ffmpeg -encoders` for the names")
        }
        guard codec.pointee.id == AV_CODEC_ID_H264 else {
            throw CodecFailure(reason: "\(name) does not make H.264", remedy: "choose libx264, or auto")
        }
        return codec
    }

    private static func describeFrame(
        _ settings: VideoEncoder.Settings, to context: UnsafeMutablePointer<AVCodecContext>
    ) {
        context.pointee.width = CInt(settings.width)
        context.pointee.height = CInt(settings.height)
        // The encoder counts pictures; times are kept beside it. So skipped pictures do not disturb its rate control,
        // and the frame rate in the sequence parameter set is the real one.
        context.pointee.framerate = AVRational(num: settings.frameRate.numerator, den: settings.frameRate.denominator)
        context.pointee.time_base = AVRational(num: settings.frameRate.denominator, den: settings.frameRate.numerator)
        context.pointee.color_range = AVCOL_RANGE_MPEG
        // Cameras and screens have these primaries, and nearly this curve: what differs, and shows, is the matrix.
        context.pointee.color_primaries = AVCOL_PRI_BT709
        context.pointee.color_trc = AVCOL_TRC_BT709
        context.pointee.colorspace = (settings.matrix ?? .customary(height: settings.height)).space
    }

    /// `VideoEncoder` asks for each IDR picture, so that the distance can change at any time. The encoder's own comes after
    /// minutes, and is left in because Quick Sync counts in 16 bits.
    private static let maximumGOPFrames: CInt = 30_000

    private static func configureGOP(
        _ settings: VideoEncoder.Settings, _ model: EncoderModel, in context: UnsafeMutablePointer<AVCodecContext>
    ) {
        // Columns pass over the picture once in this time.
        let usesIntraRefresh = model.usesIntraRefresh(settings)
        context.pointee.gop_size = usesIntraRefresh ? CInt(settings.gopFrames) : maximumGOPFrames
        context.pointee.max_b_frames = 0
        context.pointee.thread_count = CInt(settings.threads)
        // Frame threads would hold pictures back.
        context.pointee.thread_type = FF_THREAD_SLICE
    }

    /// Sets the bitrate and the decoder's buffer that goes with it; on an open encoder too, where its model says so.
    static func limitRate(
        of context: UnsafeMutablePointer<AVCodecContext>, _ settings: VideoEncoder.Settings
    ) {
        let rate = Int64(settings.bitrate)
        let picture = rate * Int64(settings.frameRate.denominator) / Int64(settings.frameRate.numerator)
        context.pointee.bit_rate = rate
        context.pointee.rc_max_rate = rate
        context.pointee.rc_buffer_size = CInt(clamping: picture * Int64(settings.bufferFrames))
    }

    /// Codes one grey picture and returns the parameter sets that came with it. The encoder is of no use afterwards.
    func encodeOneFrame(_ settings: VideoEncoder.Settings) throws(CodecFailure) -> H264.ParameterSets {
        let frame = try VideoFrame(width: settings.width, height: settings.height)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        let picture = try pictures.upload(frame)
        // As when it runs: a surface has no other owner until the encoder has taken it.
        defer { withExtendedLifetime(picture) {} }
        picture.pointer.pointee.pts = 0
        var coded: [EncodedFrame] = []
        try context.send(frame: picture.pointer)
        try context.drainPackets { packet in EncodedFrame(packet).map { coded.append($0) } }
        if !coded.contains(where: \.hasSlices) {
            // An encoder that keeps the first picture back gives it up at the end.
            try context.send(frame: nil)
            try context.drainPackets { packet in EncodedFrame(packet).map { coded.append($0) } }
        }
        guard coded.contains(where: \.isInstantaneousRefresh), let sets = coded.lazy.compactMap(\.parameterSets).first
        else {
            throw CodecFailure(
                reason: "\(context.name) gave no IDR picture with parameter sets at its start",
                remedy: "choose another encoder, or auto")
        }
        return sets
    }
}
