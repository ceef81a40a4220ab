import CFFmpeg

/// A decoder for one track of a container: the interface that video and audio share. Confined to one thread.
public protocol FrameDecoder {
    /// A decoded video frame, or some audio samples.
    associatedtype Frame

    /// Opens the decoder for `parameters`, a container's description of the track.
    init(_ parameters: UnsafePointer<AVCodecParameters>) throws(CodecFailure)

    /// Decodes one packet of the container. The times are in the caller's time base and are returned with the frames.
    func decode(
        _ bytes: UnsafeRawBufferPointer, presentationTime: Int64?, decodeTime: Int64?
    ) throws(CodecFailure) -> [Frame]

    /// Returns the frames that the decoder still holds, at the end of the input. It accepts no input afterwards.
    func finish() throws(CodecFailure) -> [Frame]
}
