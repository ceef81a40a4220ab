/// A pool of reusable frames of one size, so that a running pipeline allocates none. Confined to one thread.
///
/// A frame returns to the pool automatically when its last reference is gone and no encoder reads it any more.
public final class VideoFramePool {
    public let width: Int
    public let height: Int
    private var frames: [VideoFrame] = []

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of frames allocated so far.
    public var allocatedCount: Int { frames.count }

    /// Takes a frame with undefined content that has no other user.
    public func take() throws(CodecFailure) -> VideoFrame {
        for index in frames.indices
        where isKnownUniquelyReferenced(&frames[index]) && frames[index].reference.isUnshared {
            return frames[index]
        }
        let frame = try VideoFrame(width: width, height: height)
        frames.append(frame)
        return frame
    }
}
