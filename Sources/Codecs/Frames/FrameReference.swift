import CFFmpeg

/// An AVFrame and, with it, a share in the buffers that it refers to.
final class FrameReference {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// Whether it points at memory of somebody else's, who will put another picture there: a camera's driver.
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
        // 0: libav chooses the alignment that its fastest routines want.
        let status = av_frame_get_buffer(pointer, 0)
        guard status >= 0 else { throw CodecFailure("no memory for \(what)", code: status) }
    }

    /// Whether nobody else (an encoder that still reads, say) holds the buffers.
    var isUnshared: Bool { av_frame_is_writable(pointer) > 0 }

    /// When it is to be shown, in the time base of whoever made it.
    var presentationTime: Int64? {
        let time = pointer.pointee.best_effort_timestamp
        if time != apus_nopts { return time }
        return pointer.pointee.pts == apus_nopts ? nil : pointer.pointee.pts
    }
}
