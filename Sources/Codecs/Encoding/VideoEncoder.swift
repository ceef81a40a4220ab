import Media

/// Codes pictures as H.264, one access unit out for each picture in: no reordering, no look-ahead. Confined to one thread.
///
/// Every random access point is an IDR picture that carries its parameter sets in band. The encoder is the first that
/// works of those that the settings allow. When it fails while it runs, the next takes over with the very picture, as an
/// IDR picture, and `report` is told.
public final class VideoEncoder {
    /// As changed last.
    public private(set) var settings: Settings
    /// What a decoder needs before the first picture; it may change with any call of `encode` or `change`.
    public var parameterSets: H264.ParameterSets { encoder.parameterSets }
    /// The encoder in use: `libx264`.
    public var name: String { encoder.model.name }
    /// The average quantizer of the last picture, 0 to 51: the higher, the coarser; `nil` where the encoder does not tell.
    public private(set) var lastQuantizer: Int?

    private let open: EncoderModel.Opening
    private let report: (EncoderReport) -> Void
    private var selection: EncoderSelection
    private var encoder: any FrameEncoder
    private var frameIndex: Int64 = 0
    /// Presentation times of pictures that have gone in and not come out, by their index.
    private var pending: [(index: Int64, time: MediaTime)] = []
    /// Pictures since the last that was asked to be an IDR picture, with it; `nil` before the first.
    private var framesSinceIDR: Int?
    /// What an encoder still held when it was left.
    private var remainder: [EncodedFrame] = []

    /// An encoder that holds this many back has stopped working without saying so. Drivers hold back four at most.
    private static let maximumDelay = 16

    /// Opens the encoder and tries it with one picture: a few milliseconds, and as much for each that does not work.
    ///
    /// - Parameter report: told when an encoder had to be passed over; called by the thread that uses the encoder.
    public convenience init(
        _ settings: Settings, report: @escaping (EncoderReport) -> Void = { _ in }
    ) throws(CodecFailure) {
        try self.init(settings, report: report) { (model, settings) throws(CodecFailure) in
            try LibavEncoder(tested: model, settings)
        }
    }

    init(
        _ settings: Settings, report: @escaping (EncoderReport) -> Void, open: @escaping EncoderModel.Opening
    ) throws(CodecFailure) {
        try settings.check()
        var selection = EncoderSelection(settings, open: open)
        let (encoder, rejected) = try selection.next(settings)
        (self.settings, self.selection, self.encoder) = (settings, selection, encoder)
        (self.open, self.report) = (open, report)
        reportSelection(settings.encoder == "auto" ? .automatic : .fallback, rejected)
    }

    /// Codes one picture of the encoder's size.
    ///
    /// - Parameter forcingKeyframe: makes this very picture an IDR picture.
    /// - Returns: what is ready: with software encoders exactly this picture.
    /// - Throws: when the encoder fails and no other works.
    public func encode(
        _ frame: VideoFrame, track: TrackID, presentationTime: MediaTime, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        try checkSize(width: frame.width, height: frame.height)
        let held = takeRemainder(track)
        pending.append((frameIndex, presentationTime))
        let coded = try encodeOrReplace(frame, forcingIDR: forcingKeyframe || isGOPComplete)
        frameIndex += 1
        return held + units(coded, track)
    }

    /// Codes what the encoder still holds, at the end of the input.
    public func finish(track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        let held = takeRemainder(track)
        return try held + units(encoder.finish(), track)
    }
}

// MARK: - Pictures in memory of other devices

extension VideoEncoder {
    /// Whether the encoder in use may read them; it may change with any call of `encode` or `change`.
    public var importsFrames: Bool { encoder.importsFrames }

    /// Codes one picture of the encoder's size where it lies, without a copy.
    ///
    /// - Returns: what is ready, as for a picture in memory.
    /// - Throws: where that cannot be; the same picture may come as `VideoFrame` then. No encoder is replaced for it.
    public func encode(
        _ picture: ExportedFrame, track: TrackID, presentationTime: MediaTime, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        try checkSize(width: picture.width, height: picture.height)
        try checkDelay(pending.count + 1)
        let forcingIDR = forcingKeyframe || isGOPComplete
        let coded = try encoder.encode(picture, index: frameIndex, forcingIDR: forcingIDR)
        countFrame(isFirst: forcingIDR)
        pending.append((frameIndex, presentationTime))
        frameIndex += 1
        return takeRemainder(track) + units(coded, track)
    }
}

// MARK: - Changing it while it runs

extension VideoEncoder {
    /// Goes on with other settings from the next picture on, which is to be of their size.
    ///
    /// Bitrate and group length change without an IDR picture, where the encoder can do that; all else by another encoder,
    /// whose first picture is an IDR picture with its parameter sets.
    /// - Throws: when no encoder works with the new settings; then the old ones hold.
    public func change(to new: Settings) throws(CodecFailure) {
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

    private func restart(_ new: Settings) throws(CodecFailure) {
        let isSameChoice = new.encoder == settings.encoder && new.encoderFallback == settings.encoderFallback
        var next = isSameChoice ? selection : EncoderSelection(new, open: open)
        let (opened, rejected) = try next.next(new)
        // The old one is given up only now. What it cannot finish is lost, like any picture of an encoder that fails.
        do throws(CodecFailure) { remainder += try encoder.finish() } catch { pending = [] }
        (selection, encoder, framesSinceIDR) = (next, opened, nil)
        reportSelection(new.encoder == "auto" ? .automatic : .fallback, rejected)
    }
}

extension EncoderModel {
    /// Whether the open encoder can go on with other settings.
    fileprivate func canChange(from old: VideoEncoder.Settings, to new: VideoEncoder.Settings) -> Bool {
        var likeNew = old
        if changesBitrateLive { (likeNew.bitrate, likeNew.bufferFrames) = (new.bitrate, new.bufferFrames) }
        // Columns pass in a time that is fixed when the encoder is opened.
        if !usesIntraRefresh(old) { likeNew.gopFrames = new.gopFrames }
        return likeNew == new
    }
}

// MARK: - One picture

extension VideoEncoder {
    /// Whether the next picture is to be an IDR picture. With columns, none is but the first and those that are asked for.
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
                reason: "a picture of \(width)×\(height) came to an encoder of \(settings.width)×\(settings.height)",
                remedy: "scale it first")
        }
    }

    /// - Parameter count: of pictures that have gone in, with the one that is about to.
    private func checkDelay(_ count: Int) throws(CodecFailure) {
        guard count <= Self.maximumDelay else {
            throw CodecFailure(reason: "it keeps \(count) pictures and gives none")
        }
    }

    private func encodeOrReplace(_ frame: VideoFrame, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        var forcingIDR = forcingIDR
        while true {
            do throws(CodecFailure) {
                try checkDelay(pending.count)
                let coded = try encoder.encode(frame, index: frameIndex, forcingIDR: forcingIDR)
                countFrame(isFirst: forcingIDR)
                return coded
            } catch {
                try replace(error)
                forcingIDR = true
            }
        }
    }

    /// Puts the next encoder that works in the place of the one that has failed, which takes with it what it held.
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

    private func units(_ coded: [EncodedFrame], _ track: TrackID) -> [AccessUnit] {
        coded.compactMap { picture in
            guard let position = pending.firstIndex(where: { $0.index == picture.index }) else { return nil }
            let time = pending[position].time
            // Nothing is reordered: what went in before it and has not come out never will.
            pending.removeSubrange(...position)
            lastQuantizer = picture.quantizer
            return AccessUnit(
                track: track, presentationTime: time, decodeTime: time, isKeyframe: picture.isInstantaneousRefresh,
                bytes: picture.bytes, units: picture.units)
        }
    }
}
