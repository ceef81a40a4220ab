import Codecs
import Media
import Streams

/// Draws, sounds and codes the test card for the instants that it is told, whatever the clock shows. Confined to one thread.
final class TestCardPipeline {
    static let videoTrack = TrackID(0)
    static let audioTrack = TrackID(1)

    private(set) var timeline: TestCardTimeline
    private let stage: VideoEncodingStage
    private var picture: TestCardRenderer
    private let audioSource: TestCardAudio?
    /// The picture of the grid with which it started, shown as frame 0.
    private var firstFrame: Int64?
    /// Coded, and not due yet.
    private var pendingAudio: [AccessUnit] = []

    /// Opens the encoders: some milliseconds.
    ///
    /// - Parameters:
    ///   - control: of the picture's encoder.
    ///   - fanOut: is offered the pictures.
    ///   - clock: tells how long coding takes, and nothing else.
    ///   - streamClock: of the block code's times; without it, there is none.
    init(
        _ settings: EncodingSettings, timeline: TestCardTimeline, control: EncoderControl = EncoderControl(),
        fanOut: FrameFanOut? = nil, clock: PaceClock = .host, streamClock: StreamClock? = nil
    ) throws(CodecFailure) {
        self.timeline = timeline
        let size = settings.video
        stage = try VideoEncodingStage(
            settings, track: Self.videoTrack, matrix: TestCardRenderer.matrix, control: control, fanOut: fanOut,
            clock: clock, streamClock: streamClock, defaultOverlayCorner: TestCard.defaultOverlayCorner)
        picture = try TestCardRenderer(width: size.width, height: size.height)
        if let audio = settings.audio {
            audioSource = try TestCardAudio(audio, timeline: timeline)
        } else {
            audioSource = nil
        }
    }

    /// Picture first, then sound, if any.
    var tracks: [Track] { [stage.track] + (audioSource.map { [$0.track] } ?? []) }

    /// Counts up where the tracks are to be announced anew with the next units.
    var revision: Int { stage.revision }

    /// As changed last.
    var settings: EncodingSettings { stage.settings }

    /// The units that are due with picture `number`, in order of presentation: sound up to its instant, then the picture.
    ///
    /// Numbers ascend from wherever it starts; those left out are `skipped` pictures.
    func units(
        forFrame number: Int64, wallNanoseconds: Int64, skipped: Int = 0
    ) throws(CodecFailure) -> [AccessUnit] {
        let first = firstFrame ?? number
        firstFrame = first
        let instant = timeline.instant(ofFrame: number)
        let frame = try picture.draw(
            TestCardRenderer.Moment(
                number: Int(number - first), wallNanoseconds: wallNanoseconds, nanoseconds: instant,
                isFlash: timeline.isFlash(picture: number)))
        let encoded = try stage.units(of: frame, at: timeline.time(ofFrame: number), skipped: skipped)
        try prepareAudio(forFrame: number)
        let due = pendingAudio.prefix { $0.presentationTime.nanoseconds <= instant }
        pendingAudio.removeFirst(due.count)
        return due + encoded
    }

    /// Codes the sound up to picture `number`, so that the picture need not wait for it: best called before its instant.
    func prepareAudio(forFrame number: Int64) throws(CodecFailure) {
        pendingAudio += try audioSource?.units(until: timeline.instant(ofFrame: number)) ?? []
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
            picture = try TestCardRenderer(width: new.width, height: new.height)
        }
        guard new.frameRate != timeline.frameRate else { return number + 1 }
        let instant = timeline.instant(ofFrame: number)
        timeline.frameRate = new.frameRate
        audioSource?.follow(timeline)
        let next = timeline.lastFrame(at: instant) + 1
        firstFrame = firstFrame.map { next - (number + 1 - $0) }
        return next
    }
}
