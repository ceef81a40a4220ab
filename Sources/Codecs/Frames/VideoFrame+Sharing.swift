import CFFmpeg

/// A frame that several threads may read; none may write it.
// Sendable is unchecked but safe: buffers with more than one reference are never written, and libav counts references atomically.
public struct SharedFrame: @unchecked Sendable {
    private let reference: FrameReference

    fileprivate init(_ reference: FrameReference) {
        self.reference = reference
    }

    /// The frame, for use on the calling thread.
    public func frame() throws(CodecFailure) -> DecodedVideoFrame {
        DecodedVideoFrame(try reference.newReference())
    }
}

extension VideoFrame {
    /// A reference for other threads. Memory of libav is shared; memory of another owner (a camera driver's buffer) is copied,
    /// because the owner will reuse it.
    public func shared(_ pool: VideoFramePool) throws(CodecFailure) -> SharedFrame {
        SharedFrame(try owned(pool).reference.newReference())
    }

    /// The frame in memory that stays valid: the frame itself, or a copy if the memory belongs to another owner.
    ///
    /// - Parameter pool: must contain frames of this size.
    public func owned(_ pool: VideoFramePool) throws(CodecFailure) -> VideoFrame {
        reference.isShared ? try copied(pool) : self
    }

    /// The frame in memory that may be written: the frame itself, or a copy if others read it too (decoders, filters).
    ///
    /// - Parameter pool: must contain frames of this size.
    public func writable(_ pool: VideoFramePool) throws(CodecFailure) -> VideoFrame {
        reference.isShared || !reference.isUnshared ? try copied(pool) : self
    }

    private func copied(_ pool: VideoFramePool) throws(CodecFailure) -> VideoFrame {
        let copy = try pool.take()
        let status = av_frame_copy(copy.reference.pointer, reference.pointer)
        guard status >= 0 else { throw CodecFailure("a frame cannot be copied", code: status) }
        copy.matrix = matrix
        return copy
    }
}

extension DecodedVideoFrame {
    /// A reference for other threads. The frame must not be changed any more.
    public func shared() throws(CodecFailure) -> SharedFrame { SharedFrame(try reference.newReference()) }
}

extension FrameReference {
    /// Another reference to the same buffers.
    func newReference() throws(CodecFailure) -> FrameReference {
        let other = try FrameReference()
        let status = av_frame_ref(other.pointer, pointer)
        guard status >= 0 else { throw CodecFailure("a frame cannot be shared", code: status) }
        return other
    }
}
