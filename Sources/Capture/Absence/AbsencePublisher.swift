import Codecs
import Glibc
import Logging
import Media
import Reactor
import Streams
import Synchronization

/// Publishes a substitute into a stream while its source is absent and the stream has viewers. Owns a thread, which mostly
/// sleeps.
///
/// It serves sources of every kind, because it looks only at what the stream gets.
public final class AbsencePublisher: Sendable {
    private let stream: Stream
    private let display: AbsenceDisplay
    private let patience: Int64
    private let log: Logger
    private let stopSignal = StopSignal()
    private let thread = Mutex<pthread_t?>(nil)

    /// - Parameter seconds: the silence of the source after which the substitute is shown.
    public init(for stream: Stream, _ display: AbsenceDisplay, afterSeconds seconds: Int, log: Logger) {
        (self.stream, self.display, self.log) = (stream, display, log)
        patience = Int64(seconds) * 1_000_000_000
    }

    /// Starts the thread. Call this once.
    public func start() throws(SystemError) {
        stream.enableSubstitute(patience: patience)
        let started = try startThread {
            self.run()
            self.stream.disableSubstitute()
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread and waits for it, at most 100 ms.
    public func stop() {
        stopSignal.raise()
        guard let thread = thread.withLock({ $0.take() }) else { return }
        pthread_join(thread, nil)
    }

    /// H.264, and AAC with 48 kHz and two channels: the tracks of a stream for which no source has announced any yet.
    private static func defaultTracks() throws(CodecFailure) -> [Track] {
        let encoder = try VideoEncoder(VideoEncoderSettings())
        let audio = try AudioEncoder(AudioEncoder.Settings())
        return [
            Track(id: TrackID(0), format: .h264(encoder.parameterSets)),
            Track(id: TrackID(1), format: .aac(audio.configuration)),
        ]
    }

    private func run() {
        var slate: Slate?
        var announcementCount: UInt64 = 0
        var hasFailed = false
        let interval = Int64(1_000 / Slate.frameRate)
        while stopSignal.sleep(until: MonotonicTime.now().advanced(byMilliseconds: interval)) {
            guard let absence = stream.absence(), !hasFailed else {
                (slate, hasFailed) = (nil, hasFailed && stream.absence() != nil)
                continue
            }
            do throws(CodecFailure) {
                guard let tracks = absence.tracks else {
                    stream.announce(try Self.defaultTracks())
                    continue
                }
                guard stream.demand.isNeeded else {
                    slate = nil
                    continue
                }
                let present: Slate
                if let slate, slate.tracks == tracks {
                    present = slate
                } else {
                    present = try Slate(tracks, display, lastKeyframe: absence.lastKeyframe)
                }
                let isNew = present !== slate || absence.announcementCount != announcementCount
                (slate, announcementCount) = (present, absence.announcementCount)
                let units = try present.units(
                    at: absence.nanoseconds, elapsedSeconds: absence.silence / 1_000_000_000, forcingKeyframe: isNew)
                for unit in units { stream.publishSubstitute(unit) }
            } catch {
                hasFailed = true
                log.error("the substitute for the absent source cannot be shown: \(error)")
            }
        }
    }
}
