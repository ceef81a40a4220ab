import CFFmpeg
import Media

extension VideoEncoder {
    /// In the order in which `auto` tries them.
    private static let automaticChoices = ["libx264", "libopenh264"]

    /// The encoder of that name, or the first that `auto` finds.
    static func codec(named name: String) throws(CodecFailure) -> UnsafePointer<AVCodec> {
        let names = name == "auto" ? automaticChoices : [name]
        guard let codec = names.lazy.compactMap({ avcodec_find_encoder_by_name($0) }).first else {
            throw CodecFailure(
                reason: name == "auto" ? "no H.264 encoder is installed" : "no encoder is called \(name)",
                remedy: "install libavcodec with libx264, or see `ffmpeg -encoders` for the names")
        }
        guard codec.pointee.id == AV_CODEC_ID_H264 else {
            throw CodecFailure(reason: "\(name) does not make H.264", remedy: "choose libx264, or auto")
        }
        return codec
    }

    /// An open encoder.
    static func open(
        _ codec: UnsafePointer<AVCodec>, _ settings: Settings
    ) throws(CodecFailure) -> CodecContext {
        try check(settings)
        let context = try CodecContext(codec)
        let pointer = context.pointer
        pointer.pointee.width = CInt(settings.width)
        pointer.pointee.height = CInt(settings.height)
        pointer.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        // The encoder counts pictures; times are kept beside it. So skipped pictures do not disturb its rate control,
        // and the frame rate in the sequence parameter set is the real one.
        pointer.pointee.framerate = AVRational(
            num: settings.frameRate.numerator, den: settings.frameRate.denominator)
        pointer.pointee.time_base = AVRational(
            num: settings.frameRate.denominator, den: settings.frameRate.numerator)
        pointer.pointee.gop_size = CInt(settings.gopFrames)
        pointer.pointee.max_b_frames = 0
        pointer.pointee.thread_count = CInt(settings.threads)
        // Frame threads would hold pictures back.
        pointer.pointee.thread_type = FF_THREAD_SLICE
        describeColours(of: settings, to: pointer)
        apply(bitrate: settings.bitrate, settings, to: pointer)
        try context.open(
            options: options(settings), remedy: "choose another encoder, or auto, and check size, bitrate and profile")
        return context
    }

    private static func check(_ settings: Settings) throws(CodecFailure) {
        guard VideoFrame.canHold(width: settings.width, height: settings.height) else {
            throw CodecFailure(
                reason: "a picture of \(settings.width)×\(settings.height) cannot be encoded",
                remedy: "choose an even width and height from 16 to \(VideoFrame.longestSide)")
        }
        guard (1_000...1_000_000_000).contains(settings.bitrate), (1...100_000).contains(settings.gopFrames),
            (1...64).contains(settings.threads), (1...1_000).contains(settings.bufferFrames)
        else {
            throw CodecFailure(
                reason: "bitrate, GOP length, threads or buffer of the encoder are out of range",
                remedy: "choose 1 kbit/s to 1 Gbit/s, 1 to 100000 pictures, 1 to 64 threads, 1 to 1000 pictures")
        }
    }

    private static func options(_ settings: Settings) -> [String: String] {
        [
            "preset": settings.preset,
            "tune": "zerolatency",
            "profile": settings.profile.rawValue,
            // Else a forced I picture is no random access point.
            "forced-idr": "1",
            // Random access points come where they are due or asked for: a cut in the scene must not break the budget.
            // Sliced threads off would add a whole frame of delay.
            "x264-params": "scenecut=0:sliced-threads=1:aud=0:repeat-headers=1",
        ]
    }

    private static func describeColours(of settings: Settings, to context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.color_range = AVCOL_RANGE_MPEG
        // By custom, players take pictures below 720 lines for BT.601 and others for BT.709 unless told.
        guard settings.height >= 720 else { return }
        context.pointee.color_primaries = AVCOL_PRI_BT709
        context.pointee.color_trc = AVCOL_TRC_BT709
        context.pointee.colorspace = AVCOL_SPC_BT709
    }

    /// Sets the bitrate and the decoder's buffer that goes with it; on an open encoder too.
    static func apply(bitrate: Int, _ settings: Settings, to context: UnsafeMutablePointer<AVCodecContext>) {
        let rate = Int64(bitrate.clamped(to: 1_000...1_000_000_000))
        let picture = rate * Int64(settings.frameRate.denominator) / Int64(settings.frameRate.numerator)
        context.pointee.bit_rate = rate
        context.pointee.rc_max_rate = rate
        context.pointee.rc_buffer_size = CInt(clamping: picture * Int64(settings.bufferFrames))
    }

    /// Codes one grey picture with an encoder of its own and returns the parameter sets that came with it.
    static func trial(
        _ codec: UnsafePointer<AVCodec>, _ settings: Settings
    ) throws(CodecFailure) -> H264.ParameterSets {
        let context = try open(codec, settings)
        let frame = try VideoFrame(width: settings.width, height: settings.height)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        frame.reference.pointer.pointee.pts = 0
        var coded: CodedPicture?
        try context.send(frame: frame.reference.pointer)
        try context.drainPackets { coded = coded ?? CodedPicture(annexB: $0.pointee) }
        if coded == nil {
            // An encoder that keeps the first picture back gives it up at the end.
            try context.send(frame: nil)
            try context.drainPackets { coded = coded ?? CodedPicture(annexB: $0.pointee) }
        }
        guard let sets = coded?.parameterSets else {
            throw CodecFailure(
                reason: "\(context.name) gave no parameter sets with its first picture",
                remedy: "choose another encoder, or auto")
        }
        return sets
    }
}

extension Comparable {
    fileprivate func clamped(to limits: ClosedRange<Self>) -> Self {
        min(max(self, limits.lowerBound), limits.upperBound)
    }
}
