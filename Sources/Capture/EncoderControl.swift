import Codecs
import Logging
import Streams
import Synchronization

/// What others ask of a source's picture encoder while it runs, and what it tells them. From any thread.
final class EncoderControl: Sendable {
    private let isRandomAccessWanted = Atomic(false)
    private let isChangeWanted = Atomic(false)
    private let wanted: Mutex<VideoEncoder.Settings>
    private let counted = Mutex(SourceStatus())
    private let log: Logger

    init(_ settings: VideoEncoder.Settings = .init(), log: Logger = .silent) {
        wanted = Mutex(settings)
        self.log = log
    }

    /// The next picture is to be a random access point.
    func requestRandomAccess() {
        isRandomAccessWanted.store(true, ordering: .relaxed)
    }

    /// Whether one was asked for since the last call.
    func takeRandomAccessRequest() -> Bool {
        isRandomAccessWanted.exchange(false, ordering: .relaxed)
    }

    /// What was coded so far, over all runs.
    var status: SourceStatus { counted.withLock { $0 } }

    /// The encoder has coded one picture, before which `skipped` were left out.
    func codedPicture(by encoder: VideoEncoder, skipped: Int = 0) {
        let quantizer = encoder.lastQuantizer
        counted.withLock {
            $0.pictureCount += 1
            $0.skippedCount += skipped
            guard let quantizer else { return }
            $0.quantizerTotal += quantizer
            $0.quantizedCount += 1
        }
    }
}

// MARK: - How it is to code

extension EncoderControl {
    /// As wanted last: what the next run begins with.
    var settings: VideoEncoder.Settings { wanted.withLock { $0 } }

    /// The picture is to go on with these settings as soon as possible.
    func change(to settings: VideoEncoder.Settings) {
        wanted.withLock { $0 = settings }
        isChangeWanted.store(true, ordering: .releasing)
    }

    /// The settings wanted, if they have changed since the last call.
    func takeChange() -> VideoEncoder.Settings? {
        isChangeWanted.exchange(false, ordering: .acquiring) ? settings : nil
    }

    /// No encoder works with what was wanted: `settings` stay.
    func changeFailed(_ failure: CodecFailure, keeping settings: VideoEncoder.Settings) {
        wanted.withLock { $0 = settings }
        let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
        log.error("the encoder's settings stay as they were: \(failure.reason)\(remedy)")
    }

    /// An encoder had to be passed over or replaced: one line.
    func tell(_ report: EncoderReport) {
        let isAsConfigured = report.occasion == .automatic
        log.log(level: isAsConfigured ? .info : .warning, "\(report.sentence)")
    }
}

extension Logger {
    /// For sources that nobody listens to.
    static let silent = Logger(label: "apus.silent") { _ in SwiftLogNoOpLogHandler() }
}
