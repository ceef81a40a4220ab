import Codecs
import Media
import Streams

/// Draws, sounds and codes the test card for the instants that it is told, whatever the clock shows. Confined to one thread.
final class TestCardPipeline {
    static let videoTrack = TrackID(0)
    static let audioTrack = TrackID(1)

    private(set) var timeline: TestCardTimeline
    private let stage: PictureStage
    private var picture: TestCardPicture
    private let sound: TestCardSound?
    /// The picture of the grid with which it started, shown as frame 0.
    private var firstPicture: Int64?
    /// Coded, and not due yet.
    private var comingSound: [AccessUnit] = []

    /// Opens the encoders: some milliseconds.
    ///
    /// - Parameters:
    ///   - control: of the picture's encoder.
    ///   - tee: is offered the pictures.
    ///   - clock: tells how long coding takes, and nothing else.
    ///   - streamClock: of the block code's times; without it, there is none.
    init(
        _ settings: EncodingSettings, timeline: TestCardTimeline, control: EncoderControl = EncoderControl(),
        tee: PictureTee? = nil, clock: PaceClock = .host, streamClock: StreamClock? = nil
    ) throws(CodecFailure) {
        self.timeline = timeline
        let size = settings.video
        stage = try PictureStage(
            settings, track: Self.videoTrack, matrix: TestCardPicture.matrix, control: control, tee: tee,
            clock: clock, streamClock: streamClock, usualCode: TestCard.usualCode)
        picture = try TestCardPicture(width: size.width, height: size.height)
        if let audio = settings.audio {
            sound = try TestCardSound(audio, timeline: timeline)
        } else {
            sound = nil
        }
    }

    /// Picture first, then sound, if any.
    var tracks: [Track] { [stage.track] + (sound.map { [$0.track] } ?? []) }

    /// Counts up where the tracks are to be announced anew with the next units.
    var revision: Int { stage.revision }

    /// As changed last.
    var settings: EncodingSettings { stage.settings }

    /// The units that are due with picture `number`, in order of presentation: sound up to its instant, then the picture.
    ///
    /// Numbers ascend from wherever it starts; those left out are `skipped` pictures.
    func units(
        forPicture number: Int64, wallNanoseconds: Int64, skipped: Int = 0
    ) throws(CodecFailure) -> [AccessUnit] {
        let first = firstPicture ?? number
        firstPicture = first
        let instant = timeline.instant(ofPicture: number)
        let frame = try picture.draw(
            TestCardPicture.Moment(
                number: Int(number - first), wallNanoseconds: wallNanoseconds, nanoseconds: instant,
                isFlash: timeline.isFlash(picture: number)))
        let coded = try stage.units(of: frame, at: timeline.time(ofPicture: number), skipped: skipped)
        try prepareSound(forPicture: number)
        let due = comingSound.prefix { $0.presentationTime.nanoseconds <= instant }
        comingSound.removeFirst(due.count)
        return due + coded
    }

    /// Codes the sound up to picture `number`, so that the picture need not wait for it: best called before its instant.
    func prepareSound(forPicture number: Int64) throws(CodecFailure) {
        comingSound += try sound?.units(until: timeline.instant(ofPicture: number)) ?? []
    }

    /// Goes on with other settings after picture `number`; the frame numbers in the picture go on too.
    ///
    /// - Returns: the number of the picture that is next, on the grid of the new frame rate.
    /// - Throws: when no encoder works with them; then nothing has changed.
    func change(to settings: EncodingSettings, after number: Int64) throws(CodecFailure) -> Int64 {
        let isCodeMoved = settings.timestampOverlay != stage.settings.timestampOverlay
        try stage.change(to: settings)
        let new = settings.video
        if isCodeMoved || (picture.width, picture.height) != (new.width, new.height) {
            // The encoder has taken the size: it can be drawn. Where a code was, new pictures have their background.
            picture = try TestCardPicture(width: new.width, height: new.height)
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
