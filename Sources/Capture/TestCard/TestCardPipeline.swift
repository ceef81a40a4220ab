import Codecs
import Media

/// Draws, sounds and codes the test card for the instants that it is told: it reads no clock. Confined to one thread.
final class TestCardPipeline {
    static let videoTrack = TrackID(0)
    static let audioTrack = TrackID(1)

    let timeline: TestCardTimeline
    let video: VideoEncoder
    private let picture: TestCardPicture
    private let pool: VideoFramePool
    private let sound: TestCardSound?
    /// The picture of the grid with which it started, shown as frame 0.
    private var firstPicture: Int64?

    /// Opens the encoders: some milliseconds.
    init(_ settings: EncodingSettings, timeline: TestCardTimeline) throws(CodecFailure) {
        self.timeline = timeline
        let size = settings.video
        video = try VideoEncoder(settings.video)
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
}
