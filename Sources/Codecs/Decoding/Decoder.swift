import CFFmpeg
import Media

/// A frame from libavcodec: a video frame, or some audio samples.
protocol DecodedMedia {
    init(_ reference: FrameReference)
}

/// How long a decoder may hold back decoded frames.
public enum DecodingDelay: Hashable, Sendable {
    /// libavcodec's default: until it is sure that no earlier frame follows.
    case codecDefault
    /// No longer than the stream requires (`AV_CODEC_FLAG_LOW_DELAY`, `-flags low_delay` in players).
    case lowest
}

/// The common part of video and audio decoders: encoded bytes in, frames out. Confined to one thread.
struct Decoder<Frame: DecodedMedia> {
    private let context: CodecContext

    /// Opens the decoder for `parameters`.
    init(
        _ parameters: UnsafePointer<AVCodecParameters>, delay: DecodingDelay = .codecDefault
    ) throws(CodecFailure) {
        let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
        guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
            throw CodecFailure(
                reason: "no decoder for \(name) is installed", remedy: "convert the input to H.264 and AAC")
        }
        context = try CodecContext(codec)
        let status = avcodec_parameters_to_context(context.pointer, parameters)
        guard status >= 0 else { throw CodecFailure("the parameters of \(name) are unusable", code: status) }
        // Frame threads would delay frames.
        context.pointer.pointee.thread_count = 1
        if delay == .lowest { context.pointer.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
        try context.open(remedy: "convert the input to H.264 and AAC")
    }

    /// Opens a decoder for `codec` with its out-of-band configuration.
    init(
        _ codec: Codec, configuration: [UInt8], delay: DecodingDelay = .codecDefault
    ) throws(CodecFailure) {
        try self.init(codec.libavcodecID, codec.libavcodecType, configuration: configuration, delay: delay)
    }

    /// Opens the decoder of this number.
    ///
    /// - Parameter audio: for audio that does not tell it itself.
    init(
        _ id: AVCodecID, _ type: AVMediaType, configuration: [UInt8] = [],
        audio: (sampleRate: Int, channelCount: Int)? = nil, delay: DecodingDelay = .codecDefault
    ) throws(CodecFailure) {
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        guard let parameters else { throw .outOfMemory }
        (parameters.pointee.codec_id, parameters.pointee.codec_type) = (id, type)
        if let audio {
            parameters.pointee.sample_rate = CInt(clamping: audio.sampleRate)
            av_channel_layout_default(&parameters.pointee.ch_layout, CInt(clamping: audio.channelCount))
        }
        if !configuration.isEmpty {
            // libav reads beyond the end, up to its padding, and frees the memory with its own allocator.
            guard let copy = av_mallocz(configuration.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
                throw .outOfMemory
            }
            configuration.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
            parameters.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
            parameters.pointee.extradata_size = CInt(configuration.count)
        }
        try self.init(parameters, delay: delay)
    }

    /// Returns the frames that the decoder still holds, at the end of the input.
    func finish() throws(CodecFailure) -> [Frame] {
        try decode(nil, presentationTime: nil, decodeTime: nil)
    }

    /// Decodes one whole packet; `nil` marks the end of the input. A damaged packet gives no frame.
    func decode(
        _ bytes: UnsafeRawBufferPointer?, presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [Frame] {
        // A rejected packet is damaged: decoding continues with the next one.
        _ = try context.send(bytes: bytes, presentationTime: presentationTime, decodeTime: decodeTime)
        var frames: [Frame] = []
        while let frame = try context.receiveFrame() { frames.append(Frame(frame)) }
        return frames
    }
}

extension Decoder {
    /// Decodes bytes in an array. (The array's own `withUnsafeBytes` loses the error's type.)
    func decode(
        _ bytes: [UInt8], presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [Frame] {
        try bytes.span.bytes.withUnsafeBytes { (raw) throws(CodecFailure) in
            try decode(raw, presentationTime: presentationTime, decodeTime: decodeTime)
        }
    }
}
