import Codecs
import Logging
import Streams
import Synchronization

/// What others ask of a source's picture encoder while it runs, and what it tells them. From any thread.
final class EncoderControl: Sendable {
    private let isKeyframeRequested = Atomic(false)
    private let isChangeWanted = Atomic(false)
    private let isImportRefused = Atomic(false)
    private let wanted: Mutex<EncodingSettings>
    private let counted = Mutex(SourceStatus())
    private let log: Logger

    init(_ settings: EncodingSettings = .init(), log: Logger = .silent) {
        wanted = Mutex(settings)
        self.log = log
    }

    /// The next picture is to be a random access point.
    func requestKeyframe() {
        isKeyframeRequested.store(true, ordering: .relaxed)
    }

    /// Whether one was asked for since the last call.
    func takeKeyframeRequest() -> Bool {
        isKeyframeRequested.exchange(false, ordering: .relaxed)
    }

    /// What was coded so far, over all runs.
    var status: SourceStatus { counted.withLock { $0 } }

    /// So many pictures were left out.
    func skippedFrames(_ count: Int) {
        guard count > 0 else { return }
        counted.withLock { $0.skippedCount += count }
    }

    /// The encoder has coded one picture.
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

// MARK: - How it is to code

extension EncoderControl {
    /// As wanted last: what the next run begins with.
    var settings: EncodingSettings { wanted.withLock { $0 } }

    /// The picture is to go on with these settings as soon as possible; the sound stays as it is.
    func change(to settings: EncodingSettings) {
        wanted.withLock {
            ($0.video, $0.filters, $0.hasPrivacyMasks) = (settings.video, settings.filters, settings.hasPrivacyMasks)
            ($0.timestampOverlay, $0.fit) = (settings.timestampOverlay, settings.fit)
        }
        isChangeWanted.store(true, ordering: .releasing)
    }

    /// The settings wanted, if they have changed since the last call.
    func takeChange() -> EncodingSettings? {
        isChangeWanted.exchange(false, ordering: .acquiring) ? settings : nil
    }

    /// No effect or no encoder works with what was wanted: `settings` stay, unless others are wanted by now.
    ///
    /// - Throws: the failure, where what was wanted hides something that would be shown on.
    func changeFailed(
        _ failure: CodecFailure, attempting attempted: EncodingSettings, keeping settings: EncodingSettings
    ) throws(CodecFailure) {
        if attempted.hasPrivacyMasks, attempted.filters != settings.filters { throw failure }
        wanted.withLock { if $0 == attempted { $0 = settings } }
        let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
        log.error("effects and encoder stay as they were: \(failure.reason)\(remedy)")
    }

    /// An encoder had to be passed over or replaced: one line.
    func tell(_ report: EncoderReport) {
        let isAsConfigured = report.occasion == .automatic
        log.log(level: isAsConfigured ? .info : .warning, "\(report.sentence)")
        if isAsConfigured { log.debug("\(report.reasons)") }
    }
}

// MARK: - Pictures that stay where the camera's driver puts them

extension EncoderControl {
    /// Until the first that was refused.
    var isImportWorthTrying: Bool { !isImportRefused.load(ordering: .relaxed) }

    /// The driver does not export its memory, or the encoder's device cannot read it there: it is not tried again, one line.
    func importFailed(_ failure: CodecFailure) {
        guard !isImportRefused.exchange(true, ordering: .relaxed) else { return }
        log.notice("the camera's pictures are copied for the encoder: \(failure.reason)")
    }
}

extension Logger {
    /// For sources that nobody listens to.
    static let silent = Logger(label: "apus.silent") { _ in SwiftLogNoOpLogHandler() }
}
