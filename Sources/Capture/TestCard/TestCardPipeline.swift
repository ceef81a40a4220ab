import Codecs
import Media
import Streams

/// Draws and encodes the test card for given instants, without reading a clock. Confined to one thread.
final class TestCardPipeline {
    static let videoTrack = TrackID(0)
    static let audioTrack = TrackID(1)

    private(set) var timeline: TestCardTimeline
    private let stage: VideoEncodingStage
    private var renderer: TestCardRenderer
    private let audioSource: TestCardAudio?
    /// The first frame's number on the grid; the image shows it as frame 0.
    private var firstFrame: Int64?
    /// Encoded audio that is not due yet.
    private var pendingAudio: [AccessUnit] = []

    /// Opens the encoders, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - control: requests and counters of the video encoder.
    ///   - fanOut: receives the frames.
    ///   - clock: measures the encode timing only.
    ///   - streamClock: gives the times in the timestamp overlay; without it, there is no overlay.
    init(
        _ settings: EncodingSettings, timeline: TestCardTimeline, control: EncoderControl = EncoderControl(),
        fanOut: FrameFanOut? = nil, clock: PaceClock = .host, streamClock: StreamClock? = nil
    ) throws(CodecFailure) {
        self.timeline = timeline
        let size = settings.video
        stage = try VideoEncodingStage(
            settings, track: Self.videoTrack, matrix: TestCardRenderer.matrix, control: control, fanOut: fanOut,
            clock: clock, streamClock: streamClock, defaultOverlayCorner: TestCard.defaultOverlayCorner)
        renderer = try TestCardRenderer(width: size.width, height: size.height)
        if let audio = settings.audio {
            audioSource = try TestCardAudio(audio, timeline: timeline)
        } else {
            audioSource = nil
        }
    }

    /// The video track, then the audio track, if any.
    var tracks: [Track] { [stage.track] + (audioSource.map { [$0.track] } ?? []) }

    /// Increases if the tracks have to be announced again with the next units.
    var revision: Int { stage.revision }

    /// The latest settings.
    var settings: EncodingSettings { stage.settings }

    /// The units that are due with frame `number`, in presentation order: audio up to its instant that was not taken, then the frame.
    ///
    /// Numbers ascend from any start; `skipped` is how many were left out.
    func units(
        forFrame number: Int64, wallNanoseconds: Int64, skipped: Int = 0
    ) throws(CodecFailure) -> [AccessUnit] {
        let first = firstFrame ?? number
        firstFrame = first
        let instant = timeline.instant(ofFrame: number)
        let frame = try renderer.draw(
            TestCardRenderer.Moment(
                number: Int(number - first), wallNanoseconds: wallNanoseconds, nanoseconds: instant,
                isFlash: timeline.isFlash(frame: number)))
        let encoded = try stage.units(of: frame, at: timeline.time(ofFrame: number), skipped: skipped)
        try prepareAudio(forFrame: number)
        let due = pendingAudio.prefix { $0.presentationTime.nanoseconds <= instant }
        pendingAudio.removeFirst(due.count)
        return due + encoded
    }

    /// Encodes the audio up to frame `number`. If this is called before the frame's instant, the frame need not wait for it.
    func prepareAudio(forFrame number: Int64) throws(CodecFailure) {
        pendingAudio += try audioSource?.units(until: timeline.instant(ofFrame: number)) ?? []
    }

    /// The next audio that is due at or before frame `number`, if ``prepareAudio(forFrame:)`` has encoded it. It need not wait for the
    /// frame: browsers hold audio that comes in bursts back by as much.
    func takeAudio(beforeFrame number: Int64) -> AccessUnit? {
        guard let first = pendingAudio.first, first.presentationTime.nanoseconds <= timeline.instant(ofFrame: number)
        else { return nil }
        return pendingAudio.removeFirst()
    }

    /// Applies other settings after frame `number`; the frame numbers in the image continue.
    ///
    /// - Returns: the number of the next frame on the grid of the new frame rate.
    /// - Throws: if no encoder supports the settings; nothing has changed then.
    func change(to settings: EncodingSettings, after number: Int64) throws(CodecFailure) -> Int64 {
        let isOverlayMoved = settings.timestampOverlay != stage.settings.timestampOverlay
        try stage.change(to: settings)
        let new = settings.video
        if isOverlayMoved || (renderer.width, renderer.height) != (new.width, new.height) {
            // The encoder has accepted the size. If the overlay has moved, new frames restore the background at its old place.
            renderer = try TestCardRenderer(width: new.width, height: new.height)
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
