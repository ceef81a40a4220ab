/// Pictures of one size that are used again and again, so that a running pipeline allocates none. Confined to one thread.
///
/// A picture returns to the pool by itself when its owner lets go of it and no encoder reads it any more.
public final class VideoFramePool {
    public let width: Int
    public let height: Int
    private var frames: [VideoFrame] = []

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// How many pictures it has made so far.
    public var allocatedCount: Int { frames.count }

    /// A picture of undefined content that nobody else uses.
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
