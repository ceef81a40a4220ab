import Codecs
import Media

/// Draws what viewers see while a source is absent: its last frame, or a dark background, with a notice and the elapsed time.
/// Confined to one thread.
final class SlateRenderer {
    private let pool: VideoFramePool
    /// The source's last frame in the slate's size; `nil` for the dark background.
    private let background: VideoFrame?
    private let scale: Int

    static let notice = "NO SIGNAL"
    /// Luma of the dark background.
    private static let dark: UInt8 = 40

    init(width: Int, height: Int, background: VideoFrame?) {
        pool = VideoFramePool(width: width, height: height)
        self.background = background
        // The notice takes at most a half of the width, and a twelfth of the height.
        scale = max(1, min(width / 2 / (Self.notice.utf8.count * BitmapGlyphs.advance + 2), height / 120))
    }

    /// The frame for this time since the source's last unit.
    func draw(elapsedSeconds: Int64) throws(CodecFailure) -> VideoFrame {
        let frame = try pool.take()
        if let background {
            frame.matrix = background.matrix
            frame.luma.copy(background.luma)
            frame.cb.copy(background.cb)
            frame.cr.copy(background.cr)
        } else {
            fillDark(frame)
        }
        let lines = [Self.notice, Self.elapsed(elapsedSeconds)]
        var top = frame.height / 12 & ~1
        for line in lines {
            let box = BitmapGlyphs.box(of: line, scale: scale)
            BitmapGlyphs.draw(line, x: max(0, (frame.width - box.width) / 2) & ~1, y: top, scale: scale, into: frame)
            top = (top + box.height + 1) & ~1
        }
        return frame
    }

    private func fillDark(_ frame: VideoFrame) {
        frame.luma.fill(x: 0..<frame.width, y: 0..<frame.height, with: Self.dark)
        for plane in [frame.cb, frame.cr] { plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128) }
    }

    /// `0:01:02`, in hours, minutes and seconds.
    static func elapsed(_ seconds: Int64) -> String {
        "\(seconds / 3600):\(ClockText.padded(seconds / 60 % 60, 2)):\(ClockText.padded(seconds % 60, 2))"
    }
}

extension VideoFrame.Plane {
    /// Copies the samples of a plane of the same size.
    fileprivate func copy(_ other: Self) {
        for row in 0..<min(height, other.height) {
            (base + row * stride).update(from: other.base + row * other.stride, count: min(width, other.width))
        }
    }
}
