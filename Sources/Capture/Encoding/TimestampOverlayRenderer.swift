import Codecs
import Media
import Streams

/// Draws the block code onto pictures: when each was captured, by the clock that sender reports are made with, and its
/// number. Confined to one thread.
final class TimestampOverlayRenderer {
    private let corner: TimestampOverlay.Corner
    private let clock: StreamClock
    /// For pictures that others read too.
    private var copies: VideoFramePool?

    /// - Returns: `nil` where there is to be none.
    init?(in corner: TimestampOverlay.Corner?, clock: StreamClock?) {
        guard let corner, let clock else { return nil }
        (self.corner, self.clock) = (corner, clock)
    }

    /// The picture with its code, in memory of its own; as it was where it is too small for one.
    func draw(on frame: VideoFrame, at time: MediaTime, number: UInt32) throws(CodecFailure) -> VideoFrame {
        let captured = clock.ntpTime(of: clock.instant(of: time))
        let frame = try frame.writable(copies(like: frame))
        TimestampOverlay(unixNanoseconds: captured.unixNanoseconds, frameNumber: number).draw(in: corner, of: frame)
        return frame
    }

    private func copies(like frame: VideoFrame) -> VideoFramePool {
        if let copies, (copies.width, copies.height) == (frame.width, frame.height) { return copies }
        let pool = VideoFramePool(width: frame.width, height: frame.height)
        copies = pool
        return pool
    }
}
