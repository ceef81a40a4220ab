import Codecs
import Logging
import RateControl
import Streams
import Synchronization

/// Requests to a source's video encoder while it runs, and its counters. Usable from any thread.
final class EncoderControl: Sendable {
    private let isKeyframeRequested = Atomic(false)
    private let isChangeRequested = Atomic(false)
    private let hasImportFailed = Atomic(false)
    private let hasScalingFailed = Atomic(false)
    private let requested: Mutex<EncodingSettings>
    private let order = Mutex<EncoderOrder?>(nil)
    private let counted = Mutex(SourceStatus())
    private let log: Logger

    init(_ settings: EncodingSettings = .init(), log: Logger = .silent) {
        requested = Mutex(settings)
        self.log = log
    }

    /// Requests that the next frame be a keyframe.
    func requestKeyframe() {
        isKeyframeRequested.store(true, ordering: .relaxed)
    }

    /// Whether a keyframe was requested since the last call.
    func takeKeyframeRequest() -> Bool {
        isKeyframeRequested.exchange(false, ordering: .relaxed)
    }

    /// The counters over all runs.
    var status: SourceStatus { counted.withLock { $0 } }

    /// `count` frames were dropped before encoding.
    func skippedFrames(_ count: Int) {
        guard count > 0 else { return }
        counted.withLock { $0.skippedCount += count }
    }

    /// The encoder has encoded one frame.
    func encodedFrame(by encoder: VideoEncoder) {
        let quantizer = encoder.lastQuantizer
        counted.withLock {
            $0.pictureCount += 1
            guard let quantizer else { return }
            $0.quantizerTotal += quantizer
            $0.quantizedCount += 1
        }
    }
}

// MARK: - Settings

extension EncoderControl {
    /// The latest settings, with which the next run of the source begins: those of the configuration, and a lower bitrate with fewer
    /// and smaller frames if viewers cannot receive the configured ones.
    var settings: EncodingSettings {
        var settings = requested.withLock { $0 }
        if let order = order.withLock({ $0 }) {
            settings.video.bitrate = min(settings.video.bitrate, Int(order.bitrate.bitsPerSecond))
            settings.reduction = order.reduction
        }
        if hasScalingFailed.load(ordering: .relaxed) { settings.reduction.sizeDivisor = 1 }
        return settings
    }

    /// What the encoder makes from now on, and what it would make without a reduction.
    func encodes(_ encoded: FrameFormat, of frames: FrameFormat) {
        counted.withLock { ($0.frames, $0.encodedFrames) = (frames, encoded) }
    }

    /// The encoder does not work with the reduced size. Logged once; the size is not reduced again.
    func scalingFailed(_ failure: CodecFailure) {
        guard !hasScalingFailed.exchange(true, ordering: .relaxed) else { return }
        log.warning("frames keep their size for viewers with slow paths: \(failure.reason)")
    }

    /// Makes the encoder follow what viewers can receive.
    func follow(_ order: EncoderOrder?) {
        self.order.withLock { $0 = order }
        isChangeRequested.store(true, ordering: .releasing)
    }

    /// Requests these settings for the video as soon as possible. Audio settings do not change.
    func change(to settings: EncodingSettings) {
        requested.withLock {
            ($0.video, $0.filters, $0.hasPrivacyMasks) = (settings.video, settings.filters, settings.hasPrivacyMasks)
            ($0.timestampOverlay, $0.fit) = (settings.timestampOverlay, settings.fit)
        }
        isChangeRequested.store(true, ordering: .releasing)
    }

    /// The latest settings if they have changed since the last call.
    func takeChange() -> EncodingSettings? {
        isChangeRequested.exchange(false, ordering: .acquiring) ? settings : nil
    }

    /// Reverts to `settings` because the filters or the encoder failed with `attempted`, unless newer settings were requested.
    ///
    /// - Throws: the failure if privacy masks could not be changed, because the stream would show what they must hide.
    func changeFailed(
        _ failure: CodecFailure, attempting attempted: EncodingSettings, keeping settings: EncodingSettings
    ) throws(CodecFailure) {
        if attempted.hasPrivacyMasks, attempted.filters != settings.filters { throw failure }
        requested.withLock { requested in
            // Bitrate, frame rate and size may be less than requested, because viewers cannot receive more.
            var (attempted, kept) = (attempted, settings)
            (attempted.video.bitrate, kept.video.bitrate) = (requested.video.bitrate, requested.video.bitrate)
            (attempted.reduction, kept.reduction) = (requested.reduction, requested.reduction)
            if requested == attempted { requested = kept }
        }
        let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
        log.error("effects and encoder settings do not change: \(failure.reason)\(remedy)")
    }

    /// Logs that an encoder was skipped or replaced.
    func logReport(_ report: EncoderReport) {
        let isAsConfigured = report.occasion == .automatic
        log.log(level: isAsConfigured ? .info : .warning, "\(report.sentence)")
        if isAsConfigured { log.debug("\(report.reasons)") }
    }
}

// MARK: - Frames that stay in the memory of the camera's driver

extension EncoderControl {
    /// True until the first import has failed.
    var shouldTryImport: Bool { !hasImportFailed.load(ordering: .relaxed) }

    /// The driver does not export its memory, or the encoder's device cannot read it. Logged once; imports are not tried again.
    func importFailed(_ failure: CodecFailure) {
        guard !hasImportFailed.exchange(true, ordering: .relaxed) else { return }
        log.notice("camera frames are copied for the encoder: \(failure.reason)")
    }
}

extension Logger {
    /// Discards all messages.
    static let silent = Logger(label: "apus.silent") { _ in SwiftLogNoOpLogHandler() }
}
