import Codecs
import Media

/// Draws, sounds and codes the test card for the instants that it is told: it reads no clock. Confined to one thread.
final class TestCardPipeline {
    static let videoTrack = TrackID(0)
    static let audioTrack = TrackID(1)

    private(set) var timeline: TestCardTimeline
    let video: VideoEncoder
    private var picture: TestCardPicture
    private var pool: VideoFramePool
    private let sound: TestCardSound?
    /// The picture of the grid with which it started, shown as frame 0.
    private var firstPicture: Int64?

    /// Opens the encoders: some milliseconds.
    ///
    /// - Parameter report: told when an encoder of pictures had to be passed over.
    init(
        _ settings: EncodingSettings, timeline: TestCardTimeline, report: @escaping (EncoderReport) -> Void = { _ in }
    ) throws(CodecFailure) {
        self.timeline = timeline
        let size = settings.video
        video = try VideoEncoder(settings.video, report: report)
        picture = try TestCardPicture(width: size.width, height: size.height)
        pool = VideoFramePool(width: size.width, height: size.height)
        if let audio = settings.audio {
            sound = try TestCardSound(audio, timeline: timeline)
        } else {
            sound = nil
        }
    }

    /// Picture first, then sound, if any.
    var tracks: [Track] {
        let picture = Track(id: Self.videoTrack, clockRate: .video, format: .h264(video.parameterSets))
        return [picture] + (sound.map { [$0.track] } ?? [])
    }

    /// The units that are due with picture `number`, in order of presentation: sound up to its instant, then the picture.
    ///
    /// Numbers ascend from wherever it starts; those left out are skipped pictures.
    func units(
        forPicture number: Int64, wallNanoseconds: Int64, forcingRandomAccess: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        let first = firstPicture ?? number
        firstPicture = first
        let instant = timeline.instant(ofPicture: number)
        let frame = try pool.take()
        picture.draw(
            TestCardPicture.Moment(
                number: Int(number - first), wallNanoseconds: wallNanoseconds, nanoseconds: instant,
                isFlash: timeline.isFlash(picture: number)),
            into: frame)
        let coded = try video.encode(
            frame, track: Self.videoTrack, presentationTime: timeline.time(ofPicture: number),
            forcingRandomAccess: forcingRandomAccess)
        return try (sound?.units(until: instant) ?? []) + coded
    }

    /// Goes on with other settings after picture `number`; the frame numbers in the picture go on too.
    ///
    /// - Returns: the number of the picture that is next, on the grid of the new frame rate.
    /// - Throws: when no encoder works with them; then nothing has changed.
    func change(to new: VideoEncoder.Settings, after number: Int64) throws(CodecFailure) -> Int64 {
        try video.change(to: new)
        if (picture.width, picture.height) != (new.width, new.height) {
            // The encoder has taken the size: it can be drawn.
            picture = try TestCardPicture(width: new.width, height: new.height)
            pool = VideoFramePool(width: new.width, height: new.height)
        }
        guard new.frameRate != timeline.frameRate else { return number + 1 }
        let instant = timeline.instant(ofPicture: number)
        timeline.frameRate = new.frameRate
        sound?.follow(timeline)
        let next = timeline.lastPicture(at: instant) + 1
        firstPicture = firstPicture.map { next - (number + 1 - $0) }
        return next
    }
}
