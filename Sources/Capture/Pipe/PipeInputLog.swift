import Logging
import Media
import Synchronization

/// Logs problems with a pipe's input. All runs of a source share one log, so a repeated message appears once a minute.
public final class PipeInputLog: Sendable {
    private struct State {
        var lastWaitingMessage: MonotonicTime?
        var format: UnsupportedFormat?
    }

    private static let intervalMilliseconds: Int64 = 60_000

    private let log: Logger
    private let state = Mutex(State())

    public init(log: Logger) {
        self.log = log
    }

    /// The format recognised in this or an earlier run, because a later run may begin in the middle of the input.
    func recognised(_ format: UnsupportedFormat?) -> UnsupportedFormat? {
        state.withLock { state in
            state.format = format ?? state.format
            return state.format
        }
    }

    /// A frame was found: the input is H.264 after all.
    func foundFrame() {
        state.withLock { $0.format = nil }
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
        if isDue { log.notice("no input yet: waiting for a program that writes H.264 to \(name)") }
    }

    /// Input comes from `name`, but no frame that can be shown.
    ///
    /// - Parameter hasSlices: whether the input contains H.264 slices.
    func hasNoFrame(from name: String, hasSlices: Bool) {
        let problem =
            hasSlices
            ? "\(name) delivers H.264 without parameter sets (SPS and PPS), so it cannot be shown; "
                + "make the writer repeat them, for example with rpicam-vid --inline or ffmpeg -bsf:v dump_extra"
            : "\(name) has delivered data for 5 s, but no H.264; "
                + "make the writer send raw H.264 (Annex B), for example with ffmpeg … -an -c:v libx264 -f h264 -"
        log.warning("\(problem)")
    }
}
