import Codecs
import Media
import RateControl
import Streams

/// Turns frames into access units: applies effects, draws the timestamp overlay, and encodes. Confined to one thread.
///
/// Size and frame rate in the settings are those of the input frames; the encoder gets the size that the effects produce, or fewer
/// and smaller frames if viewers cannot receive those (`FrameReducer`). Substreams get the frames before that.
final class VideoEncodingStage {
    /// The latest settings.
    private(set) var settings: EncodingSettings
    /// Increases when the stream must restart for viewers, because earlier frames may show what the effects hide now. The tracks
    /// then have to be announced again with the next units, which begin with an IDR frame.
    private(set) var revision = 0
    private var isRefreshDue = false
    private let encoder: VideoEncoder
    private let clock: PaceClock
    private var timingRecorder = EncodeTimingRecorder()
    /// The matrix of the input frames.
    private var matrix: ColourMatrix
    private let id: TrackID
    private let control: EncoderControl
    private let fanOut: FrameFanOut?
    private var filter: VideoFilter?
    private var reducer: FrameReducer
    private var overlay: TimestampOverlayRenderer?
    private let streamClock: StreamClock?
    private let defaultOverlayCorner: TimestampOverlay.Corner?
    /// For copies of frames in driver memory, which the driver may reuse before substreams have read them.
    private var pool: VideoFramePool

    /// Opens an encoder; the closure receives a report if one had to be skipped.
    typealias EncoderOpening = (
        VideoEncoderSettings, @escaping (EncoderReport) -> Void
    ) throws(CodecFailure) -> VideoEncoder

    /// Opens the encoder that the settings select.
    static func encoder(
        _ settings: VideoEncoderSettings, report: @escaping (EncoderReport) -> Void
    ) throws(CodecFailure) -> VideoEncoder {
        try VideoEncoder(settings, report: report)
    }

    /// Opens effects and encoder, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - matrix: the colour matrix of the frames, if it is known in advance.
    ///   - control: delivers keyframe requests and changes, and counts the encoded frames.
    ///   - fanOut: receives the frames after the effects.
    ///   - clock: measures the encode timing.
    ///   - streamClock: gives the wall-clock time of a frame; without it, there is no timestamp overlay.
    ///   - defaultOverlayCorner: the overlay's corner if the settings do not name one.
    ///   - open: opens the encoder; tests replace it.
    init(
        _ settings: EncodingSettings, track id: TrackID, matrix: ColourMatrix? = nil, control: EncoderControl,
        fanOut: FrameFanOut? = nil, clock: PaceClock = .host, streamClock: StreamClock? = nil,
        defaultOverlayCorner: TimestampOverlay.Corner? = nil, open: EncoderOpening = VideoEncodingStage.encoder
    ) throws(CodecFailure) {
        self.matrix = matrix ?? .customary(height: settings.video.height)
        self.id = id
        self.control = control
        self.fanOut = fanOut
        self.clock = clock
        (self.streamClock, self.defaultOverlayCorner) = (streamClock, defaultOverlayCorner)
        overlay = TimestampOverlayRenderer(in: settings.timestampOverlay ?? defaultOverlayCorner, clock: streamClock)
        filter = try VideoFilter(settings)
        pool = VideoFramePool(width: settings.video.width, height: settings.video.height)
        var settings = settings
        let video = settings.video.adapted(to: filter, self.matrix)
        encoder = try Self.reducing(&settings.reduction, control) { (reduction) throws(CodecFailure) in
            try open(video.reduced(by: reduction), control.logReport)
        }
        reducer = FrameReducer(settings.reduction, of: video)
        self.settings = settings
        control.encodes(reducer.reducedFrames, of: reducer.frames)
        fanOut?.offersFrames = true
    }

    /// The track with the parameter sets of the current encoder.
    var track: Track { Track(id: id, format: .h264(encoder.parameterSets)) }

    /// Encodes a frame and returns the finished units: exactly this frame's, unless effects or hardware encoders delay frames.
    ///
    /// - Parameter skipped: the number of frames dropped before this one, for the counters.
    func units(of frame: VideoFrame, at time: MediaTime, skipped: Int = 0) throws(CodecFailure) -> [AccessUnit] {
        try follow(frame.matrix)
        timingRecorder.arrived(time, skipped: skipped)
        var units: [AccessUnit] = []
        for (frame, time) in try filter?.apply(frame, at: time) ?? [(frame, time)] {
            frame.matrix = matrix
            let isTaken = reducer.takes(time)
            // Readers of the overlay expect it in the size that belongs to the frame, so it is not scaled.
            let scaled = isTaken ? try reducer.scaled(frame) : nil
            let whole = try drawingOverlay(on: frame, at: time)
            try fanOut?.offer(whole, at: time, pool: pool)
            guard isTaken else { continue }
            let frame =
                try scaled.map { (frame) throws(CodecFailure) in try drawingOverlay(on: frame, at: time) } ?? whole
            units += try encoded(at: time) { (isForced) throws(CodecFailure) in
                try encoder.encode(frame, track: id, presentationTime: time, forcingKeyframe: isForced)
            }
        }
        control.skippedFrames(skipped)
        return units
    }

    private func drawingOverlay(on frame: VideoFrame, at time: MediaTime) throws(CodecFailure) -> VideoFrame {
        try overlay?.draw(on: frame, at: time, number: timingRecorder.number(at: time)) ?? frame
    }

    /// Whether the encoder can read frames in another device's memory, and neither effects, a smaller size nor substreams need them in
    /// main memory.
    var importsFrames: Bool {
        encoder.importsFrames && filter == nil && overlay == nil && !reducer.changesSize
            && fanOut?.hasSubscribers != true
    }

    /// Encodes a frame that stays in another device's memory and returns the finished units.
    ///
    /// - Throws: if that is not possible. The frame may then be passed again as `VideoFrame`.
    func units(
        of exported: ExportedFrame, at time: MediaTime, skipped: Int
    ) throws(CodecFailure) -> [AccessUnit] {
        let before = (timingRecorder, reducer)
        timingRecorder.arrived(time, skipped: skipped)
        guard reducer.takes(time) else {
            control.skippedFrames(skipped)
            return []
        }
        do throws(CodecFailure) {
            let units = try encoded(at: time) { (isForced) throws(CodecFailure) in
                try encoder.encode(exported, track: id, presentationTime: time, forcingKeyframe: isForced)
            }
            control.skippedFrames(skipped)
            return units
        } catch {
            (timingRecorder, reducer) = before
            throw error
        }
    }

    /// Encodes one frame, as an IDR frame if one is due. If that fails, the next frame becomes the IDR frame.
    private func encoded(
        at time: MediaTime, _ encode: (_ isForced: Bool) throws(CodecFailure) -> [AccessUnit]
    ) throws(CodecFailure) -> [AccessUnit] {
        isRefreshDue = control.takeKeyframeRequest() || isRefreshDue
        timingRecorder.begun(time, at: clock.now())
        let units = try encode(isRefreshDue)
        isRefreshDue = false
        control.encodedFrame(by: encoder)
        return timingRecorder.encoded(units, at: clock.now())
    }

    /// Applies other settings from the next frame on, which must have their size.
    ///
    /// - Throws: if the filters or all encoders fail with these settings; nothing has changed then.
    func change(to new: EncodingSettings) throws(CodecFailure) {
        var new = new
        let filter = new.hasSameEffects(as: settings) ? filter : try VideoFilter(new)
        let video = new.video.adapted(to: filter, matrix)
        guard new.reduction.sizeDivisor == 1 || video.width % 2 == 0 && video.height % 2 == 0 else {
            // The encoder would accept what is left of such a frame.
            throw CodecFailure(
                reason: "a frame of \(video.width)×\(video.height) cannot be encoded",
                remedy: "choose an even width and height")
        }
        try Self.reducing(&new.reduction, control) { (reduction) throws(CodecFailure) in
            try encoder.change(to: video.reduced(by: reduction))
        }
        if !reducer.fits(new.reduction, of: video) {
            reducer = FrameReducer(new.reduction, of: video)
            control.encodes(reducer.reducedFrames, of: reducer.frames)
        }
        if (new.video.width, new.video.height) != (pool.width, pool.height) {
            pool = VideoFramePool(width: new.video.width, height: new.video.height)
        }
        if new.filters != settings.filters { refresh() }
        if new.timestampOverlay != settings.timestampOverlay {
            overlay = TimestampOverlayRenderer(in: new.timestampOverlay ?? defaultOverlayCorner, clock: streamClock)
        }
        (self.filter, settings) = (filter, new)
    }

    /// Tries the whole reduction, and then without a smaller size, which some encoders refuse.
    private static func reducing<Result>(
        _ reduction: inout FrameReduction, _ control: EncoderControl,
        _ body: (FrameReduction) throws(CodecFailure) -> Result
    ) throws(CodecFailure) -> Result {
        do throws(CodecFailure) {
            return try body(reduction)
        } catch {
            guard reduction.sizeDivisor > 1 else { throw error }
            let inWholeSize = FrameReduction(frameRateDivisor: reduction.frameRateDivisor)
            let result = try body(inWholeSize)
            control.scalingFailed(error)
            reduction = inWholeSize
            return result
        }
    }

    /// Adopts another colour matrix with an IDR frame of a new encoder. Most sources never change theirs.
    private func follow(_ new: ColourMatrix) throws(CodecFailure) {
        guard new != matrix else { return }
        try encoder.change(to: settings.video.adapted(to: filter, new).reduced(by: settings.reduction))
        matrix = new
    }

    /// Makes the stream restart, so that new viewers cannot see earlier frames.
    func refresh() {
        revision += 1
        isRefreshDue = true
    }

    /// Applies the settings requested from `control` since the last frame, or logs why that failed.
    ///
    /// - Parameter adapt: sets the size and rate of the input frames in the settings.
    /// - Throws: if privacy masks cannot be applied.
    func applyRequestedChange(_ adapt: (EncodingSettings) -> EncodingSettings) throws(CodecFailure) {
        guard let wanted = control.takeChange() else { return }
        do throws(CodecFailure) {
            try change(to: adapt(wanted))
        } catch {
            try control.changeFailed(error, attempting: wanted, keeping: settings)
        }
    }
}

extension VideoFilter {
    /// The filters of these settings; `nil` if there are none.
    fileprivate convenience init?(_ settings: EncodingSettings) throws(CodecFailure) {
        guard !settings.filters.isEmpty else { return nil }
        let video = settings.video
        try self.init(settings.filters, width: video.width, height: video.height, frameRate: video.frameRate)
    }
}

extension VideoEncoderSettings {
    /// The settings with the size and rate that the filter produces.
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
    /// Whether filters that were opened for `other` fit these settings.
    fileprivate func hasSameEffects(as other: Self) -> Bool {
        filters == other.filters && video.width == other.video.width && video.height == other.video.height
            && video.frameRate == other.video.frameRate
    }

    /// The settings with another size and frame rate.
    func resized(width: Int, height: Int, frameRate: FrameRate) -> Self {
        var settings = self
        settings.video = video.resized(width: width, height: height, frameRate: frameRate)
        return settings
    }
}
