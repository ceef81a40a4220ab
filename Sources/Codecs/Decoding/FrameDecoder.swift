import CFFmpeg

/// What decodes one track of a container, as picture and sound have it in common. Confined to one thread.
public protocol FrameDecoder {
    /// A decoded picture, or some samples of sound.
    associatedtype Frame

    /// Opens the decoder that `parameters`, a container's description of the track, ask for.
    init(_ parameters: UnsafePointer<AVCodecParameters>) throws(CodecFailure)

    /// Decodes one packet as its container holds it; the times are in the caller's time base and come back with the frames.
    func decode(
        _ bytes: UnsafeRawBufferPointer, presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [Frame]

    /// The frames that it still holds, at the end of the input. It takes nothing more afterwards.
    func finish() throws(CodecFailure) -> [Frame]
}
