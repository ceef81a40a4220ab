import Media

/// One open encoder: pictures in, NAL units out. `VideoEncoder` drives one at a time and replaces it when it fails;
/// `LibavEncoder` is the real one.
protocol FrameEncoder: AnyObject {
    var model: EncoderModel { get }
    /// What a decoder needs before the first picture.
    var parameterSets: H264.ParameterSets { get }

    /// Codes one picture; indices rise by one.
    ///
    /// - Returns: what is ready: software has exactly this picture.
    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame]
    /// Whether it may read pictures in memory of other devices.
    var importsFrames: Bool { get }
    /// Codes one picture where it lies.
    ///
    /// - Throws: where that cannot be; it goes on with other pictures, if it works at all.
    func encode(_ picture: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame]
    /// Codes what it still holds; it takes nothing more afterwards.
    func finish() throws(CodecFailure) -> [EncodedFrame]
    /// Goes on with the bitrate and the decoder's buffer of these settings, of which nothing else differs.
    func changeBitrate(_ settings: VideoEncoder.Settings)
}

/// Most read pictures in ordinary memory only.
extension FrameEncoder {
    var importsFrames: Bool { false }

    func encode(_ picture: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        throw .readsMemoryOnly
    }
}

extension CodecFailure {
    static let readsMemoryOnly = Self(reason: "the encoder reads no pictures in memory of other devices")
}

extension EncoderModel {
    /// Opens the encoder after it has proved to work, or says why it does not. A seam: tests put in encoders that fail.
    typealias Opening = (EncoderModel, VideoEncoder.Settings) throws(CodecFailure) -> any FrameEncoder
}
