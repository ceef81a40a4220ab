import Codecs
import Media
import Streams

/// Pictures in, access units out: effects first, then the block code, then the encoder. Confined to one thread.
///
/// The settings' size and frame rate are those of the pictures that come in; what the effects make of the size is the
/// encoder's.
final class VideoEncodingStage {
    /// As changed last.
    private(set) var settings: EncodingSettings
    /// Counts up where pictures are to be seen as if the source had just begun: those from before may show what effects hide
    /// now. The tracks are to be announced anew with the next units, which begin with an IDR picture.
    private(set) var revision = 0
    private var isRefreshDue = false
    private let encoder: VideoEncoder
    private let clock: PaceClock
    private var timingRecorder = EncodeTimingRecorder()
    /// Of the pictures that come.
    private var matrix: ColourMatrix
    private let id: TrackID
    private let control: EncoderControl
    private let fanOut: FrameFanOut?
    private var filter: VideoFilter?
    private var overlay: TimestampOverlayRenderer?
    private let streamClock: StreamClock?
    private let defaultOverlayCorner: TimestampOverlay.Corner?
    /// For pictures whose memory is taken back before substreams have done with it.
    private var pool: VideoFramePool

    /// Opens an encoder; told when one had to be passed over.
    typealias EncoderOpening = (
        VideoEncoder.Settings, @escaping (EncoderReport) -> Void
    ) throws(CodecFailure) -> VideoEncoder

    /// The usual one.
    static func encoder(
        _ settings: VideoEncoder.Settings, report: @escaping (EncoderReport) -> Void
    ) throws(CodecFailure) -> VideoEncoder {
        try VideoEncoder(settings, report: report)
    }

    /// Opens effects and encoder: some milliseconds.
    ///
    /// - Parameters:
    ///   - matrix: of the pictures, as far as it is known before they come.
    ///   - control: tells when a random access point is wanted, and is told what was coded.
    ///   - fanOut: is offered what the effects have made of each picture.
    ///   - clock: tells when a picture goes into the encoder and comes out.
    ///   - streamClock: tells what the wall clock showed at a picture's time; without it, there is no block code.
    ///   - defaultOverlayCorner: where the block code is if the settings do not say.
    ///   - open: a seam for tests.
    init(
        _ settings: EncodingSettings, track id: TrackID, matrix: ColourMatrix? = nil, control: EncoderControl,
        fanOut: FrameFanOut? = nil, clock: PaceClock = .host, streamClock: StreamClock? = nil,
        defaultOverlayCorner: TimestampOverlay.Corner? = nil, open: EncoderOpening = VideoEncodingStage.encoder
    ) throws(CodecFailure) {
        self.settings = settings
        self.matrix = matrix ?? .customary(height: settings.video.height)
        self.id = id
        self.control = control
        self.fanOut = fanOut
        self.clock = clock
        (self.streamClock, self.defaultOverlayCorner) = (streamClock, defaultOverlayCorner)
        overlay = TimestampOverlayRenderer(in: settings.timestampOverlay ?? defaultOverlayCorner, clock: streamClock)
        filter = try VideoFilter(settings)
        pool = VideoFramePool(width: settings.video.width, height: settings.video.height)
        encoder = try open(settings.video.adapted(to: filter, self.matrix), control.tell)
        fanOut?.offersFrames = true
    }

    /// With the parameter sets of the encoder that is in use now.
    var track: Track { Track(id: id, clockRate: .video, format: .h264(encoder.parameterSets)) }

    /// The units that are ready: with software encoders exactly this picture's, unless effects hold pictures back.
    ///
    /// - Parameter skipped: pictures that were left out before this one, to be counted.
    func units(of frame: VideoFrame, at time: MediaTime, skipped: Int = 0) throws(CodecFailure) -> [AccessUnit] {
        try follow(frame.matrix)
        timingRecorder.arrived(time, skipped: skipped)
        var units: [AccessUnit] = []
        for (frame, time) in try filter?.apply(frame, at: time) ?? [(frame, time)] {
            frame.matrix = matrix
            let frame = try overlay?.draw(on: frame, at: time, number: timingRecorder.number(at: time)) ?? frame
            try fanOut?.offer(frame, at: time, pool: pool)
            units += try encoded(at: time) { (isForced) throws(CodecFailure) in
                try encoder.encode(frame, track: id, presentationTime: time, forcingKeyframe: isForced)
            }
        }
        control.skippedFrames(skipped)
        return units
    }

    /// Whether pictures may come as they lie in memory of another device: the encoder may read them there, and nobody else
    /// wants to, neither effects nor substreams.
    var importsFrames: Bool {
        encoder.importsFrames && filter == nil && overlay == nil && fanOut?.hasSubscribers != true
    }

    /// The units that are ready, of a picture that stays where it lies.
    ///
    /// - Throws: where that cannot be. It may come as `VideoFrame` then.
    func units(
        of picture: ExportedFrame, at time: MediaTime, skipped: Int
    ) throws(CodecFailure) -> [AccessUnit] {
        let before = timingRecorder
        timingRecorder.arrived(time, skipped: skipped)
        do throws(CodecFailure) {
            let units = try encoded(at: time) { (isForced) throws(CodecFailure) in
                try encoder.encode(picture, track: id, presentationTime: time, forcingKeyframe: isForced)
            }
            control.skippedFrames(skipped)
            return units
        } catch {
            timingRecorder = before
            throw error
        }
    }

    /// Has one picture coded, as an IDR picture where one is due: one that fails leaves that to the next.
    private func encoded(
        at time: MediaTime, _ code: (_ isForced: Bool) throws(CodecFailure) -> [AccessUnit]
    ) throws(CodecFailure) -> [AccessUnit] {
        isRefreshDue = control.takeKeyframeRequest() || isRefreshDue
        timingRecorder.begun(time, at: clock.now())
        let units = try code(isRefreshDue)
        isRefreshDue = false
        control.encodedFrame(by: encoder)
        return timingRecorder.encoded(units, at: clock.now())
    }

    /// Goes on with other settings from the next picture on, which is to be of their size.
    ///
    /// - Throws: where no effect or no encoder works with them; then nothing has changed.
    func change(to new: EncodingSettings) throws(CodecFailure) {
        let filter = new.hasSameEffects(as: settings) ? filter : try VideoFilter(new)
        try encoder.change(to: new.video.adapted(to: filter, matrix))
        if (new.video.width, new.video.height) != (pool.width, pool.height) {
            pool = VideoFramePool(width: new.video.width, height: new.video.height)
        }
        if new.filters != settings.filters { refresh() }
        if new.timestampOverlay != settings.timestampOverlay {
            overlay = TimestampOverlayRenderer(in: new.timestampOverlay ?? defaultOverlayCorner, clock: streamClock)
        }
        (self.filter, settings) = (filter, new)
    }

    /// Viewers are told of another matrix with an IDR picture of a new encoder: a source has mostly one.
    private func follow(_ new: ColourMatrix) throws(CodecFailure) {
        guard new != matrix else { return }
        try encoder.change(to: settings.video.adapted(to: filter, new))
        matrix = new
    }

    /// What was shown before is not to be seen by who comes from now on.
    func refresh() {
        revision += 1
        isRefreshDue = true
    }

    /// Does what was wanted of `control` since the last picture, or says why that cannot be.
    ///
    /// - Parameter adapt: gives the settings the size and the rate of the pictures that come in.
    /// - Throws: where effects that hide something cannot be had.
    func changeIfWanted(_ adapt: (EncodingSettings) -> EncodingSettings) throws(CodecFailure) {
        guard let wanted = control.takeChange() else { return }
        do throws(CodecFailure) {
            try change(to: adapt(wanted))
        } catch {
            try control.changeFailed(error, attempting: wanted, keeping: settings)
        }
    }
}

extension VideoFilter {
    /// The effects of these settings; `nil` where there are none.
    fileprivate convenience init?(_ settings: EncodingSettings) throws(CodecFailure) {
        guard !settings.filters.isEmpty else { return nil }
        let video = settings.video
        try self.init(settings.filters, width: video.width, height: video.height, frameRate: video.frameRate)
    }
}

extension VideoEncoder.Settings {
    /// The same for what the effects make of the pictures.
    fileprivate func adapted(to filter: VideoFilter?, _ matrix: ColourMatrix) -> Self {
        var settings = self
        if let filter {
            settings = resized(width: filter.width, height: filter.height, frameRate: filter.frameRate)
        }
        settings.matrix = matrix
        return settings
    }
}

extension EncodingSettings {
    /// Whether effects that were opened for `other` do for these.
    fileprivate func hasSameEffects(as other: Self) -> Bool {
        filters == other.filters && video.width == other.video.width && video.height == other.video.height
            && video.frameRate == other.video.frameRate
    }

    /// The same for pictures of another size and rate.
    func resized(width: Int, height: Int, frameRate: VideoEncoder.FrameRate) -> Self {
        var settings = self
        settings.video = video.resized(width: width, height: height, frameRate: frameRate)
        return settings
    }
}
