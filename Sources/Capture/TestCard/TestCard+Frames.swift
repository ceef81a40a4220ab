import Codecs
import Media
import Streams

extension TestCard {
    /// Where the block code is if the settings do not say.
    static let defaultOverlayCorner = TimestampOverlay.Corner.bottomLeft

    /// The first pictures of a test card with their block codes, not coded: what an encoder is measured with.
    public static func pictures(_ count: Int, _ video: VideoEncoder.Settings) throws(SourceFailure) -> [VideoFrame] {
        let timeline = TestCardTimeline(frameRate: video.frameRate, now: 0, wallNanoseconds: 0)
        var frames: [VideoFrame] = []
        do {
            let picture = try TestCardRenderer(width: video.width, height: video.height)
            for number in 0..<Int64(count) {
                let frame = try VideoFrame(width: video.width, height: video.height)
                let instant = timeline.instant(ofFrame: number)
                picture.draw(
                    TestCardRenderer.Moment(
                        number: Int(number), wallNanoseconds: instant, nanoseconds: instant,
                        isFlash: timeline.isFlash(picture: number)),
                    into: frame)
                TimestampOverlay(unixNanoseconds: instant, frameNumber: UInt32(number)).draw(
                    in: defaultOverlayCorner, of: frame)
                frames.append(frame)
            }
        } catch {
            throw SourceFailure(error)
        }
        return frames
    }
}
