import Media

extension VideoFilter {
    /// Throws if the chain cannot be used on such frames. It builds the filters and sends a few grey frames through them, because
    /// some filters fail only then. This takes some milliseconds.
    public static func validate(
        _ chain: String, width: Int, height: Int, frameRate: FrameRate
    ) throws(CodecFailure) {
        let filter = try VideoFilter(chain, width: width, height: height, frameRate: frameRate)
        let frame = try VideoFrame(width: width, height: height)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        let interval = 90_000 * Int64(frameRate.denominator) / Int64(frameRate.numerator)
        for number in 0..<Int64(4) {
            // The times begin after a minute, so that a chain that restarts its times at 0 is detected.
            _ = try filter.apply(frame, at: MediaTime(ticks: 60 * 90_000 + number * interval, rate: .video))
        }
    }
}
