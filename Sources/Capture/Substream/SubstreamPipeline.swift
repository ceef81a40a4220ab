import Codecs
import Media
import Reactor
import Streams

/// One run of a substream: publishes the parent's video, encoded again, and its audio. Confined to one thread.
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
    /// For parents without raw frames; `nil` until a keyframe.
    private var decoder: VideoDecoder?

    /// Opens the encoder and announces the tracks.
    init(
        _ parent: ParentStreamReader, _ fanOut: FrameFanOut?, ringing doorbell: Doorbell, control: EncoderControl,
        into stream: Stream
    ) throws(CodecFailure) {
        (self.parent, self.fanOut, self.control, self.stream) = (parent, fanOut, control, stream)
        // Earlier changes are already in the settings.
        _ = control.takeChange()
        let settings = control.settings
        stage = try VideoEncodingStage(
            settings, track: Self.videoTrack, control: control, streamClock: stream.clock)
        scaler = Scaler(width: settings.video.width, height: settings.video.height, fit: settings.fit)
        decimator = FrameDecimator(settings.video.frameRate)
        guard parent.tracks.contains(where: { $0.kind == .video }) else {
            throw CodecFailure(
                reason: "the parent stream has no video", remedy: "choose a parent path that has video")
        }
        subscriber = fanOut?.attach(doorbell)
        selectAudioTrack()
        announce()
    }

    deinit {
        if let subscriber { fanOut?.detach(subscriber) }
    }

    /// Whether the parent's tracks have changed.
    var hasEnded: Bool { parent.hasEnded }

    /// Publishes the units and encodes the frame that are available now.
    func publishAvailable() throws(CodecFailure) {
        try applyRequestedChange()
        followParent()
        var newest: (frame: DecodedVideoFrame, time: MediaTime)?
        var skipped = 0
        let units = parent.take()
        let start = offersFrames ? 0 : catchUp(units, skipped: &skipped)
        for (index, unit) in units.enumerated() {
            if unit.track == audioTrack?.id { stream.publish(unit) }
            guard !offersFrames, index >= start, isVideo(unit), let frame = try decoded(unit) else { continue }
            skipped += newest == nil ? 0 : 1
            // The decoder may output an earlier frame.
            let rate = unit.presentationTime.rate
            newest = (
                frame, frame.presentationTime.map { MediaTime(ticks: $0, rate: rate) } ?? unit.presentationTime
            )
        }
        if let offered = subscriber?.take() {
            (newest, skipped) = ((try offered.frame.frame(), offered.time), offered.skipped)
        }
        if let newest { try encode(newest.frame, at: newest.time, skipped: skipped) }
    }

    private func encode(_ frame: DecodedVideoFrame, at time: MediaTime, skipped: Int) throws(CodecFailure) {
        guard decimator.takes(time) else { return }
        let units = try stage.units(of: try scaler.scale(frame), at: time, skipped: skipped)
        announce()
        for unit in units { stream.publish(unit) }
    }

    // MARK: - Parents that have only H.264

    private var offersFrames: Bool { fanOut?.offersFrames == true }

    /// The longest backlog of video to decode, in nanoseconds.
    private static let maximumBacklog: Int64 = 500_000_000

    /// The index at which to start with the waiting units. If a slow decoder has too large a backlog, it skips to the last
    /// keyframe.
    private func catchUp(_ units: [AccessUnit], skipped: inout Int) -> Int {
        let frames = units.indices.filter { isVideo(units[$0]) }
        guard let first = frames.first, let last = frames.last,
            units[last].presentationTime.nanoseconds - units[first].presentationTime.nanoseconds > Self.maximumBacklog
        else { return 0 }
        decoder = nil
        let start = frames.last { units[$0].isKeyframe } ?? units.endIndex
        skipped += frames.count { $0 < start }
        return start
    }

    private func isVideo(_ unit: AccessUnit) -> Bool {
        parent.tracks.contains { $0.id == unit.track && $0.kind == .video }
    }

    /// Decodes a unit. After a damaged frame, all frames up to the next keyframe are dropped.
    private func decoded(_ unit: AccessUnit) throws(CodecFailure) -> DecodedVideoFrame? {
        if decoder == nil, unit.isKeyframe {
            // The stream may have got another source, with another codec.
            decoder = try VideoDecoder(parent.tracks.first { $0.id == unit.track }?.codec ?? .h264)
        }
        do throws(CodecFailure) {
            return try decoder?.decode(unit).last
        } catch {
            decoder = nil
            return nil
        }
    }

    // MARK: - Changes

    /// Restarts if the parent has restarted, because earlier frames may show what its effects hide now.
    private func followParent() {
        guard parent.hasNewAnnouncement() else { return }
        stage.refresh()
        selectAudioTrack()
    }

    private func selectAudioTrack() {
        audioTrack = control.settings.audio == nil ? nil : parent.tracks.first { $0.kind == .audio }
    }

    private func applyRequestedChange() throws(CodecFailure) {
        let before = stage.settings
        try stage.applyRequestedChange { $0 }
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
