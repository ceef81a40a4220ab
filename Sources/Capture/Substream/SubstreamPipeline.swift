import Codecs
import Media
import Reactor
import Streams

/// One run of a substream: takes pictures and sound of the original as they come, and publishes them. Confined to one thread.
final class SubstreamPipeline {
    private static let videoTrack = TrackID(0)

    private let parent: ParentStreamReader
    private let fanOut: FrameFanOut?
    private let subscriber: FrameFanOut.Subscriber?
    private let stream: Stream
    private let stage: VideoEncodingStage
    private let control: EncoderControl
    private var audioTrack: Track?
    private var scaler: Scaler
    private var decimator: FrameDecimator
    private var announced: (tracks: [Track], revision: Int) = ([], 0)
    /// Of originals that have no raw pictures to offer; `nil` until a random access point.
    private var decoder: VideoDecoder?

    /// Opens the encoder, and tells the tracks.
    init(
        _ parent: ParentStreamReader, _ fanOut: FrameFanOut?, ringing doorbell: Doorbell, control: EncoderControl,
        into stream: Stream
    ) throws(CodecFailure) {
        (self.parent, self.fanOut, self.control, self.stream) = (parent, fanOut, control, stream)
        // What was wanted before is in the settings.
        _ = control.takeChange()
        let settings = control.settings
        stage = try VideoEncodingStage(
            settings, track: Self.videoTrack, control: control, streamClock: stream.clock)
        scaler = Scaler(width: settings.video.width, height: settings.video.height, fit: settings.fit)
        decimator = FrameDecimator(settings.video.frameRate)
        guard parent.tracks.contains(where: { $0.kind == .video }) else {
            throw CodecFailure(
                reason: "the original has no picture", remedy: "make the substream of a path that has one")
        }
        subscriber = fanOut?.attach(doorbell)
        selectAudioTrack()
        announce()
    }

    deinit {
        if let subscriber { fanOut?.detach(subscriber) }
    }

    /// Whether the original's tracks are others now.
    var hasEnded: Bool { parent.hasEnded }

    /// Publishes what there is.
    func go() throws(CodecFailure) {
        try changeIfWanted()
        followParent()
        var newest: (picture: DecodedVideoFrame, time: MediaTime)?
        var skipped = 0
        let units = parent.take()
        let start = offersFrames ? 0 : catchUp(units, skipped: &skipped)
        for (index, unit) in units.enumerated() {
            if unit.track == audioTrack?.id { stream.publish(unit) }
            guard !offersFrames, index >= start, isPicture(unit), let picture = try decoded(unit) else { continue }
            skipped += newest == nil ? 0 : 1
            // The decoder may hold pictures back.
            let rate = unit.presentationTime.rate
            newest = (
                picture, picture.presentationTime.map { MediaTime(ticks: $0, rate: rate) } ?? unit.presentationTime
            )
        }
        if let offered = subscriber?.take() {
            (newest, skipped) = ((try offered.picture.picture(), offered.time), offered.skipped)
        }
        if let newest { try code(newest.picture, at: newest.time, skipped: skipped) }
    }

    private func code(_ picture: DecodedVideoFrame, at time: MediaTime, skipped: Int) throws(CodecFailure) {
        guard decimator.takes(time) else { return }
        let units = try stage.units(of: try scaler.scale(picture), at: time, skipped: skipped)
        announce()
        for unit in units { stream.publish(unit) }
    }

    // MARK: - Originals that have only H.264

    private var offersFrames: Bool { fanOut?.offersFrames == true }

    /// Media time that may wait to be decoded, in nanoseconds.
    private static let maximumBacklog: Int64 = 500_000_000

    /// Where to begin in what has waited: behind all that a slow decoder would never make up for.
    private func catchUp(_ units: [AccessUnit], skipped: inout Int) -> Int {
        let pictures = units.indices.filter { isPicture(units[$0]) }
        guard let first = pictures.first, let last = pictures.last,
            units[last].presentationTime.nanoseconds - units[first].presentationTime.nanoseconds > Self.maximumBacklog
        else { return 0 }
        decoder = nil
        let start = pictures.last { units[$0].isKeyframe } ?? units.endIndex
        skipped += pictures.count { $0 < start }
        return start
    }

    private func isPicture(_ unit: AccessUnit) -> Bool {
        parent.tracks.contains { $0.id == unit.track && $0.kind == .video }
    }

    /// A damaged picture is left out, and all until the next random access point.
    private func decoded(_ unit: AccessUnit) throws(CodecFailure) -> DecodedVideoFrame? {
        if decoder == nil, unit.isKeyframe { decoder = try VideoDecoder() }
        do throws(CodecFailure) {
            return try decoder?.decode(unit).last
        } catch {
            decoder = nil
            return nil
        }
    }

    // MARK: - Changes

    /// Where the original begins anew, so does this: what was shown before may show what its effects hide now.
    private func followParent() {
        guard parent.isAnnouncedAnew() else { return }
        stage.refresh()
        selectAudioTrack()
    }

    private func selectAudioTrack() {
        audioTrack = control.settings.audio == nil ? nil : parent.tracks.first { $0.kind == .audio }
    }

    private func changeIfWanted() throws(CodecFailure) {
        let before = stage.settings
        try stage.changeIfWanted { $0 }
        let (video, fit) = (stage.settings.video, stage.settings.fit)
        if (video.width, video.height, fit) != (before.video.width, before.video.height, before.fit) {
            scaler = Scaler(width: video.width, height: video.height, fit: fit)
        }
        if video.frameRate != before.video.frameRate { decimator = FrameDecimator(video.frameRate) }
    }

    private func announce() {
        let tracks = [stage.track] + (audioTrack.map { [$0] } ?? [])
        guard tracks != announced.tracks || stage.revision != announced.revision else { return }
        announced = (tracks, stage.revision)
        stream.announce(tracks)
    }
}
