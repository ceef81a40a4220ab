import CFFmpeg

/// An AVFrame and its references to the frame's buffers.
final class FrameReference {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// Whether the memory belongs to another owner, such as a camera driver, which will reuse it.
    var isShared = false

    init() throws(CodecFailure) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }

    /// Allocates the buffers for the format and the dimensions that have been set.
    func allocate(_ what: String) throws(CodecFailure) {
        // 0: libav chooses the alignment for its fastest routines.
        let status = av_frame_get_buffer(pointer, 0)
        guard status >= 0 else { throw CodecFailure("no memory for \(what)", code: status) }
    }

    /// Whether this is the only reference to the buffers (an encoder may still hold one, for example).
    var isUnshared: Bool { av_frame_is_writable(pointer) > 0 }

    /// The presentation time, in the time base of the frame's producer.
    var presentationTime: Int64? {
        let time = pointer.pointee.best_effort_timestamp
        if time != apus_nopts { return time }
        return pointer.pointee.pts == apus_nopts ? nil : pointer.pointee.pts
    }
}
