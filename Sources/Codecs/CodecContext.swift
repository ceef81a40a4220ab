import CFFmpeg

/// A libavcodec context and its packet, the common part of encoders and decoders. Confined to one thread.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    /// The codec's name in libavcodec, such as `libx264`.
    let name: String

    init(_ codec: UnsafePointer<AVCodec>) throws(CodecFailure) {
        _ = CodecLog.quietByDefault
        guard let context = avcodec_alloc_context3(codec) else { throw .outOfMemory }
        guard let packet = av_packet_alloc() else {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
            throw .outOfMemory
        }
        pointer = context
        self.packet = packet
        name = String(cString: codec.pointee.name)
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&context)
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&packet)
    }

    /// Opens the codec. Options that it does not know are ignored, because encoders differ in their options.
    func open(options: [String: String] = [:], remedy: String) throws(CodecFailure) {
        var dictionary: OpaquePointer?
        defer { av_dict_free(&dictionary) }
        for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
        let status = avcodec_open2(pointer, nil, &dictionary)
        guard status >= 0 else { throw CodecFailure("\(name) cannot be opened", code: status, remedy: remedy) }
    }

    // MARK: - Encoding

    /// Sends a frame to the encoder; `nil` marks the end of the input.
    func send(frame: UnsafeMutablePointer<AVFrame>?) throws(CodecFailure) {
        let status = avcodec_send_frame(pointer, frame)
        guard status >= 0 else { throw CodecFailure("\(name) rejected a frame", code: status) }
    }

    /// Calls `body` with each packet that the encoder has ready. A packet is valid only during the call.
    func drainPackets(_ body: (UnsafeMutablePointer<AVPacket>) -> Void) throws(CodecFailure) {
        while true {
            let status = avcodec_receive_packet(pointer, packet)
            if Self.isDrained(status) { return }
            guard status >= 0 else { throw CodecFailure("\(name) cannot encode", code: status) }
            body(packet)
            av_packet_unref(packet)
        }
    }

    // MARK: - Decoding

    /// Sends a copy of encoded bytes to the decoder; `nil` marks the end of the input.
    ///
    /// - Returns: whether the decoder accepted the bytes. It rejects damaged data; decoding continues with the next bytes.
    func send(bytes: UnsafeRawBufferPointer?, presentationTime: Int64?, decodeTime: Int64?) throws(CodecFailure) -> Bool
    {
        guard let bytes else { return avcodec_send_packet(pointer, nil) >= 0 }
        guard !bytes.isEmpty, bytes.count <= Int(CInt.max) - Int(AV_INPUT_BUFFER_PADDING_SIZE) else { return false }
        guard av_new_packet(packet, CInt(bytes.count)) >= 0 else { throw .outOfMemory }
        UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: bytes.count).copyMemory(from: bytes)
        packet.pointee.pts = presentationTime ?? apus_nopts
        packet.pointee.dts = decodeTime ?? apus_nopts
        defer { av_packet_unref(packet) }
        return avcodec_send_packet(pointer, packet) >= 0
    }

    /// The next decoded frame; `nil` if the decoder needs more input or cannot decode what it got.
    func receiveFrame() throws(CodecFailure) -> FrameReference? {
        let frame = try FrameReference()
        return avcodec_receive_frame(pointer, frame.pointer) >= 0 ? frame : nil
    }

    private static func isDrained(_ status: CInt) -> Bool {
        status == apus_averror_eagain || status == apus_averror_eof
    }
}
