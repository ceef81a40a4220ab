import CFFmpeg
import Media

/// An open H.264 encoder of libavcodec. Confined to one thread.
final class LibavEncoder: FrameEncoder {
    let model: EncoderModel
    private(set) var parameterSets: H264.ParameterSets
    private let context: CodecContext
    private let pictures: FrameUpload

    /// An encoder that opens may still refuse to work (hardware does), so one of its kind codes a picture first: a few
    /// milliseconds. What the libraries say meanwhile is in the failure, not in the log.
    convenience init(tested model: EncoderModel, _ settings: VideoEncoder.Settings) throws(CodecFailure) {
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
        throw first ?? CodecFailure(reason: "\(model.name) takes no pictures")
    }

    private init(
        _ model: EncoderModel, _ input: EncoderModel.Input, _ settings: VideoEncoder.Settings,
        parameterSets: H264.ParameterSets
    ) throws(CodecFailure) {
        let opened = try CodecLog.capturing(model.name) { () throws(CodecFailure) in
            try Opened(model, input, settings)
        }
        (context, pictures) = (opened.context, opened.pictures)
        self.model = model
        self.parameterSets = parameterSets
    }

    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        try encode(pictures.upload(frame), index: index, forcingIDR: forcingIDR)
    }

    var importsFrames: Bool { pictures.importsFrames }

    func encode(_ picture: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        let surface = try CodecLog.capturing(model.name) { () throws(CodecFailure) in try pictures.imported(picture) }
        return try encode(surface, index: index, forcingIDR: forcingIDR)
    }

    private func encode(
        _ picture: FrameReference, index: Int64, forcingIDR: Bool
    ) throws(CodecFailure) -> [EncodedFrame] {
        // A surface has no other owner until the encoder has taken it.
        defer { withExtendedLifetime(picture) {} }
        picture.pointer.pointee.pict_type = forcingIDR ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        picture.pointer.pointee.pts = index
        try context.send(frame: picture.pointer)
        return try drain()
    }

    func finish() throws(CodecFailure) -> [EncodedFrame] {
        try context.send(frame: nil)
        return try drain()
    }

    func changeBitrate(_ settings: VideoEncoder.Settings) {
        Opened.limitRate(of: context.pointer, settings)
    }

    private func drain() throws(CodecFailure) -> [EncodedFrame] {
        var coded: [EncodedFrame] = []
        try context.drainPackets { packet in
            guard let picture = EncodedFrame(packet) else { return }
            if let sets = picture.parameterSets { parameterSets = sets }
            // Some drivers send their parameter sets once, and apart.
            if picture.hasSlices { coded.append(picture.completed(with: parameterSets)) }
        }
        return coded
    }
}
