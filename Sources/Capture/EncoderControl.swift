import Codecs
import Streams
import Synchronization

/// What others ask of a source's picture encoder while it runs, and what it tells them. From any thread.
final class EncoderControl: Sendable {
    private let isRandomAccessWanted = Atomic(false)
    private let counted = Mutex(SourceStatus())

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
