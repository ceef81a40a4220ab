import Media

/// One open encoder: frames in, NAL units out. `VideoEncoder` uses one at a time and replaces it when it fails. Outside of
/// tests it is a `LibavEncoder`.
protocol FrameEncoder: AnyObject {
    var model: EncoderModel { get }
    /// The parameter sets that a decoder needs before the first frame.
    var parameterSets: H264.ParameterSets { get }

    /// Encodes one frame. The index rises by one with each frame.
    ///
    /// - Returns: the frames that are ready; a software encoder returns exactly this frame.
    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame]
    /// Whether it may be able to read frames in the memory of other devices.
    var importsFrames: Bool { get }
    /// Encodes one frame in place, in the memory of another device.
    ///
    /// - Throws: if that is not possible. The encoder still accepts other frames, if it works at all.
    func encode(_ frame: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame]
    /// Encodes the frames that it still holds. It accepts no input afterwards.
    func finish() throws(CodecFailure) -> [EncodedFrame]
    /// Changes to the bitrate and the decoder buffer of these settings, which differ in nothing else.
    func changeBitrate(_ settings: VideoEncoderSettings)
}

/// The default: most encoders read frames in ordinary memory only.
extension FrameEncoder {
    var importsFrames: Bool { false }

    func encode(_ frame: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        throw .readsMemoryOnly
    }
}

extension CodecFailure {
    static let readsMemoryOnly = Self(reason: "the encoder cannot read frames in the memory of other devices")
}

extension EncoderModel {
    /// Opens and tests an encoder; throws the reason if it does not work. Tests replace it to inject encoders that fail.
    typealias Opening = (EncoderModel, VideoEncoderSettings) throws(CodecFailure) -> any FrameEncoder
}
