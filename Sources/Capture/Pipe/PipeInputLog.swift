import Logging
import Media
import Synchronization

/// Logs problems with a pipe's input. All runs of a source share one log, so a repeated message appears once a minute.
public final class PipeInputLog: Sendable {
    private struct State {
        var lastWaitingMessage: MonotonicTime?
    }

    private static let intervalMilliseconds: Int64 = 60_000

    private let log: Logger
    private let state = Mutex(State())

    public init(log: Logger) {
        self.log = log
    }

    /// No byte has come from `name` yet.
    func isWaiting(for name: String, at now: MonotonicTime) {
        let isDue = state.withLock { state in
            if let last = state.lastWaitingMessage, now < last.advanced(byMilliseconds: Self.intervalMilliseconds) {
                return false
            }
            state.lastWaitingMessage = now
            return true
        }
        if isDue { log.notice("no input yet: waiting for a program that writes to \(name)") }
    }

    /// Input comes from `name`, but no frame that can be shown.
    ///
    /// - Parameter hasSlices: whether the input contains H.264 slices.
    func hasNoFrame(from name: String, hasSlices: Bool) {
        let problem =
            hasSlices
            ? "\(name) delivers H.264 without parameter sets (SPS and PPS), so it cannot be shown; "
                + "make the writer repeat them, for example with rpicam-vid --inline or ffmpeg -bsf:v dump_extra"
            : "\(name) has delivered data for 5 s, but no H.264, H.265, MPEG-TS, Matroska or other format that FFmpeg recognises; "
                + "make the writer send one of these, for example with ffmpeg … -f mpegts -"
        log.warning("\(problem)")
    }
}
