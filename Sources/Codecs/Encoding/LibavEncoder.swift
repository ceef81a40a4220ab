import CFFmpeg
import Media

/// An open H.264 encoder of libavcodec. Confined to one thread.
final class LibavEncoder: FrameEncoder {
    let model: EncoderModel
    private(set) var parameterSets: H264.ParameterSets
    private let context: CodecContext
    private let upload: FrameUpload

    /// Opens the encoder after a test: another instance encodes one frame first (a few milliseconds), because an encoder that
    /// opens may still fail (hardware does). Log lines of the libraries go into the failure, not into the log.
    convenience init(tested model: EncoderModel, _ settings: VideoEncoderSettings) throws(CodecFailure) {
        var first: CodecFailure?
        for input in model.inputs {
            do throws(CodecFailure) {
                let sets = try CodecLog.capturing(model.name) { () throws(CodecFailure) in
                    try Opened(model, input, settings).encodeOneFrame(settings)
                }
                try self.init(model, input, settings, parameterSets: sets)
                return
            } catch {
                first = first ?? error
            }
        }
        throw first ?? CodecFailure(reason: "\(model.name) accepts no frames")
    }

    private init(
        _ model: EncoderModel, _ input: EncoderModel.Input, _ settings: VideoEncoderSettings,
        parameterSets: H264.ParameterSets
    ) throws(CodecFailure) {
        let opened = try CodecLog.capturing(model.name) { () throws(CodecFailure) in
            try Opened(model, input, settings)
        }
        (context, upload) = (opened.context, opened.upload)
        self.model = model
        self.parameterSets = parameterSets
    }

    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        try encode(upload.upload(frame), index: index, forcingIDR: forcingIDR)
    }

    var importsFrames: Bool { upload.importsFrames }

    func encode(_ frame: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        let surface = try CodecLog.capturing(model.name) { () throws(CodecFailure) in try upload.imported(frame) }
        return try encode(surface, index: index, forcingIDR: forcingIDR)
    }

    private func encode(
        _ frame: FrameReference, index: Int64, forcingIDR: Bool
    ) throws(CodecFailure) -> [EncodedFrame] {
        // The surface has no other owner until the encoder has taken it.
        defer { withExtendedLifetime(frame) {} }
        frame.pointer.pointee.pict_type = forcingIDR ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        frame.pointer.pointee.pts = index
        try context.send(frame: frame.pointer)
        return try drain()
    }

    func finish() throws(CodecFailure) -> [EncodedFrame] {
        try context.send(frame: nil)
        return try drain()
    }

    func changeBitrate(_ settings: VideoEncoderSettings) {
        Opened.limitRate(of: context.pointer, settings)
    }

    private func drain() throws(CodecFailure) -> [EncodedFrame] {
        var encoded: [EncodedFrame] = []
        try context.drainPackets { packet in
            guard let frame = EncodedFrame(packet) else { return }
            if let sets = frame.parameterSets { parameterSets = sets }
            // Some drivers send their parameter sets once, in a packet of their own.
            if frame.hasSlices { encoded.append(frame.completed(with: parameterSets)) }
        }
        return encoded
    }
}
