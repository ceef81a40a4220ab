import Codecs
import Media
import Streams

/// Draws the machine-readable timestamp overlay: each frame's capture time, by the clock of the sender reports, and its number.
/// Confined to one thread.
final class TimestampOverlayRenderer {
    private let corner: TimestampOverlay.Corner
    private let clock: StreamClock
    /// For frames that have other readers, too.
    private var copies: VideoFramePool?

    /// - Returns: `nil` if no overlay is wanted.
    init?(in corner: TimestampOverlay.Corner?, clock: StreamClock?) {
        guard let corner, let clock else { return nil }
        (self.corner, self.clock) = (corner, clock)
    }

    /// A copy of the frame with the overlay; without it if the frame is too small.
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
