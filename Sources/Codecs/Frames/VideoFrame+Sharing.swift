import CFFmpeg

/// A picture that several threads may read, and none may write.
// Unchecked, and sound: nobody writes into buffers of which there is more than one reference, which libav counts atomically.
public struct SharedFrame: @unchecked Sendable {
    private let reference: FrameReference

    fileprivate init(_ reference: FrameReference) {
        self.reference = reference
    }

    /// The picture, for the thread that calls.
    public func picture() throws(CodecFailure) -> DecodedVideoFrame {
        DecodedVideoFrame(try reference.newReference())
    }
}

extension VideoFrame {
    /// The picture for other threads, without a copy where its memory is libav's own; memory that is borrowed, as a camera
    /// driver's buffers are, is copied, for its owner takes it back.
    public func shared(_ pool: VideoFramePool) throws(CodecFailure) -> SharedFrame {
        SharedFrame(try owned(pool).reference.newReference())
    }

    /// The picture in memory that nobody takes back: itself, or a copy of what was borrowed.
    ///
    /// - Parameter pool: of pictures of this size.
    public func owned(_ pool: VideoFramePool) throws(CodecFailure) -> VideoFrame {
        reference.isShared ? try copied(pool) : self
    }

    /// The picture in memory that may be drawn on: itself, or a copy of what others read too, as decoders and filters do.
    ///
    /// - Parameter pool: of pictures of this size.
    public func writable(_ pool: VideoFramePool) throws(CodecFailure) -> VideoFrame {
        reference.isShared || !reference.isUnshared ? try copied(pool) : self
    }

    private func copied(_ pool: VideoFramePool) throws(CodecFailure) -> VideoFrame {
        let copy = try pool.take()
        let status = av_frame_copy(copy.reference.pointer, reference.pointer)
        guard status >= 0 else { throw CodecFailure("a picture cannot be copied", code: status) }
        copy.matrix = matrix
        return copy
    }
}

extension FrameReference {
    /// Another reference to the same buffers.
    func newReference() throws(CodecFailure) -> FrameReference {
        let other = try FrameReference()
        let status = av_frame_ref(other.pointer, pointer)
        guard status >= 0 else { throw CodecFailure("a picture cannot be shared", code: status) }
        return other
    }
}
