import Media

/// Encodes frames as H.264: one access unit per frame, without reordering and look-ahead. Confined to one thread.
///
/// Every keyframe is an IDR picture with in-band parameter sets. The encoder is the first working one of those that the settings
/// allow. If it fails while it runs, the next one takes over with the same frame, as an IDR picture, and `report` is called.
public final class VideoEncoder {
    /// The current settings.
    public private(set) var settings: VideoEncoderSettings
    /// The parameter sets that a decoder needs before the first frame. Any call of `encode` or `change` may change them.
    public var parameterSets: H264.ParameterSets { encoder.parameterSets }
    /// The encoder in use, such as `libx264`.
    public var name: String { encoder.model.name }
    /// The average quantizer of the last frame, 0 (finest) to 51 (coarsest); `nil` if the encoder does not report it.
    public private(set) var lastQuantizer: Int?

    private let open: EncoderModel.Opening
    private let report: (EncoderReport) -> Void
    private var selection: EncoderSelection
    private var encoder: any FrameEncoder
    private var frameIndex: Int64 = 0
    /// Presentation times of the frames inside the encoder, with their indices.
    private var pending: [(index: Int64, time: MediaTime)] = []
    /// Frames since the last requested IDR picture, that one included; `nil` before the first.
    private var framesSinceIDR: Int?
    /// The frames that the previous encoder still held when it was replaced.
    private var remainder: [EncodedFrame] = []

    /// An encoder that holds back this many frames has failed without an error. Drivers hold back at most four.
    private static let maximumDelay = 16

    /// Opens the encoder and tests it with one frame: a few milliseconds, and as much for each encoder that does not work.
    ///
    /// - Parameter report: called when an encoder had to be passed over, on the thread that uses the encoder.
    public convenience init(
        _ settings: VideoEncoderSettings, report: @escaping (EncoderReport) -> Void = { _ in }
    ) throws(CodecFailure) {
        try self.init(settings, report: report) { (model, settings) throws(CodecFailure) in
            try LibavEncoder(tested: model, settings)
        }
    }

    init(
        _ settings: VideoEncoderSettings, report: @escaping (EncoderReport) -> Void,
        open: @escaping EncoderModel.Opening
    ) throws(CodecFailure) {
        try settings.check()
        var selection = EncoderSelection(settings, open: open)
        let (encoder, rejected) = try selection.next(settings)
        (self.settings, self.selection, self.encoder) = (settings, selection, encoder)
        (self.open, self.report) = (open, report)
        reportSelection(settings.encoder == "auto" ? .automatic : .fallback, rejected)
    }

    /// Encodes one frame of the encoder's size.
    ///
    /// - Parameter forcingKeyframe: whether this frame must be an IDR picture.
    /// - Returns: the access units that are ready; with software encoders exactly that of this frame.
    /// - Throws: if the encoder fails and no other works.
    public func encode(
        _ frame: VideoFrame, track: TrackID, presentationTime: MediaTime, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        try checkSize(width: frame.width, height: frame.height)
        let held = takeRemainder(track)
        pending.append((frameIndex, presentationTime))
        let encoded = try encodeOrReplace(frame, forcingIDR: forcingKeyframe || isGOPComplete)
        frameIndex += 1
        return held + units(encoded, track)
    }

    /// Encodes the frames that the encoder still holds, at the end of the input.
    public func finish(track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        let held = takeRemainder(track)
        return try held + units(encoder.finish(), track)
    }
}

// MARK: - Frames in the memory of other devices

extension VideoEncoder {
    /// Whether the encoder in use may read them. Any call of `encode` or `change` may change this.
    public var importsFrames: Bool { encoder.importsFrames }

    /// Encodes one frame of the encoder's size in place, without a copy.
    ///
    /// - Returns: the access units that are ready, as for a frame in memory.
    /// - Throws: if the encoder cannot read the frame. It may then be sent as `VideoFrame`. The encoder is not replaced.
    public func encode(
        _ frame: ExportedFrame, track: TrackID, presentationTime: MediaTime, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        try checkSize(width: frame.width, height: frame.height)
        try checkDelay(pending.count + 1)
        let forcingIDR = forcingKeyframe || isGOPComplete
        let encoded = try encoder.encode(frame, index: frameIndex, forcingIDR: forcingIDR)
        countFrame(isFirst: forcingIDR)
        pending.append((frameIndex, presentationTime))
        frameIndex += 1
        return takeRemainder(track) + units(encoded, track)
    }
}

// MARK: - Changing the settings

extension VideoEncoder {
    /// Changes the settings from the next frame on, which must have the new size.
    ///
    /// Bitrate and GOP length change without an IDR picture if the encoder supports that. Any other change opens a new encoder,
    /// whose first frame is an IDR picture with its parameter sets.
    /// - Throws: if no encoder works with the new settings. The old settings then stay in force.
    public func change(to new: VideoEncoderSettings) throws(CodecFailure) {
        try new.check()
        if encoder.model.canChange(from: settings, to: new) {
            if new.bitrate != settings.bitrate || new.bufferFrames != settings.bufferFrames {
                encoder.changeBitrate(new)
            }
        } else {
            try restart(new)
        }
        settings = new
    }

    private func restart(_ new: VideoEncoderSettings) throws(CodecFailure) {
        let isSameChoice = new.encoder == settings.encoder && new.encoderFallback == settings.encoderFallback
        var next = isSameChoice ? selection : EncoderSelection(new, open: open)
        let (opened, rejected) = try next.next(new)
        // The old encoder is closed only now. If it cannot finish its frames, they are lost, as when an encoder fails.
        do throws(CodecFailure) { remainder += try encoder.finish() } catch { pending = [] }
        (selection, encoder, framesSinceIDR) = (next, opened, nil)
        reportSelection(new.encoder == "auto" ? .automatic : .fallback, rejected)
    }
}

extension EncoderModel {
    /// Whether the open encoder can change to the new settings.
    fileprivate func canChange(from old: VideoEncoderSettings, to new: VideoEncoderSettings) -> Bool {
        var likeNew = old
        if changesBitrateLive { (likeNew.bitrate, likeNew.bufferFrames) = (new.bitrate, new.bufferFrames) }
        // With intra refresh, the refresh period is fixed when the encoder is opened.
        if !usesIntraRefresh(old) { likeNew.gopFrames = new.gopFrames }
        return likeNew == new
    }
}

// MARK: - One frame

extension VideoEncoder {
    /// Whether the next frame must be an IDR picture. With intra refresh, only the first frame is, and those on request.
    private var isGOPComplete: Bool {
        guard let framesSinceIDR else { return true }
        return framesSinceIDR >= settings.gopFrames && !encoder.model.usesIntraRefresh(settings)
    }

    private func countFrame(isFirst: Bool) {
        framesSinceIDR = isFirst ? 1 : (framesSinceIDR ?? 0) + 1
    }

    private func checkSize(width: Int, height: Int) throws(CodecFailure) {
        guard width == settings.width, height == settings.height else {
            throw CodecFailure(
                reason: "a frame of \(width)×\(height) was sent to an encoder for \(settings.width)×\(settings.height)",
                remedy: "scale it first")
        }
    }

    /// - Parameter count: the frames inside the encoder, including the one about to be sent.
    private func checkDelay(_ count: Int) throws(CodecFailure) {
        guard count <= Self.maximumDelay else {
            throw CodecFailure(reason: "the encoder holds \(count) frames and returns none")
        }
    }

    private func encodeOrReplace(_ frame: VideoFrame, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        var forcingIDR = forcingIDR
        while true {
            do throws(CodecFailure) {
                try checkDelay(pending.count)
                let encoded = try encoder.encode(frame, index: frameIndex, forcingIDR: forcingIDR)
                countFrame(isFirst: forcingIDR)
                return encoded
            } catch {
                try replace(error)
                forcingIDR = true
            }
        }
    }

    /// Replaces the failed encoder by the next one that works. Frames inside the failed encoder are lost.
    private func replace(_ failure: CodecFailure) throws(CodecFailure) {
        let failed = EncoderTestResult(encoder: name, failure: failure)
        pending = pending.suffix(1)
        selection.dropFirst()
        let rejected: [EncoderTestResult]
        do throws(CodecFailure) {
            (encoder, rejected) = try selection.next(settings)
        } catch {
            throw CodecFailure(reason: "\(failed.encoder) failed while it ran: \(failure.reason)", remedy: error.remedy)
        }
        reportSelection(.failure, [failed] + rejected)
    }

    private func reportSelection(_ occasion: EncoderReport.Occasion, _ rejected: [EncoderTestResult]) {
        guard !rejected.isEmpty else { return }
        report(EncoderReport(occasion: occasion, encoder: name, rejected: rejected))
    }

    private func takeRemainder(_ track: TrackID) -> [AccessUnit] {
        defer { remainder = [] }
        return units(remainder, track)
    }

    private func units(_ encoded: [EncodedFrame], _ track: TrackID) -> [AccessUnit] {
        encoded.compactMap { frame in
            guard let position = pending.firstIndex(where: { $0.index == frame.index }) else { return nil }
            let time = pending[position].time
            // Nothing is reordered: earlier frames that have not come out are lost.
            pending.removeSubrange(...position)
            lastQuantizer = frame.quantizer
            return AccessUnit(
                track: track, presentationTime: time, decodeTime: time, isKeyframe: frame.isInstantaneousRefresh,
                bytes: frame.bytes, units: frame.units)
        }
    }
}
