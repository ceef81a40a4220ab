import Dispatch
import Media
import Reactor
import Synchronization

/// Writes log lines on its own thread, so that a slow disk, terminal or reader does not block the threads that log.
///
/// At most ``capacity`` bytes wait. Further lines are dropped and counted; the next line that is written contains their number. May be
/// used from any thread.
public final class LogWriter: Sendable {
    private struct State {
        var waiting = ""
        var droppedCount = 0
        /// Whether the thread is writing, or is about to.
        var isWriting = false
    }

    /// Maximum number of bytes that wait: about two thousand lines.
    public static let capacity = 262_144

    private let state = Mutex(State())
    private let thread: WorkThread
    private let put: @Sendable (String) -> Void

    /// Starts the thread.
    ///
    /// - Parameter put: writes whole lines, on the writer's thread; may block.
    public init(to put: @escaping @Sendable (String) -> Void = writeToStandardError) throws(SystemError) {
        thread = try WorkThread(name: "apus-log")
        self.put = put
    }

    /// Enqueues a line, which ends with a line feed, and returns at once.
    @Sendable public func write(_ line: String) {
        let begins = state.withLock { state in
            if state.waiting.utf8.count + line.utf8.count <= Self.capacity {
                state.waiting += line
            } else {
                state.droppedCount += 1
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { thread.run { [self] in writeWaiting() } }
    }

    /// Waits until all earlier lines are written, but for at most this time, because the reader of the log may have stopped.
    public func flush(withinMilliseconds milliseconds: Int) {
        let isDone = DispatchSemaphore(value: 0)
        thread.run { isDone.signal() }
        _ = isDone.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private func writeWaiting() {
        while let text = takeWaiting() { put(text) }
    }

    private func takeWaiting() -> String? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            var text = ""
            swap(&text, &state.waiting)
            if state.droppedCount > 0 { text += Self.droppedLinesMessage(of: state.droppedCount) }
            state.droppedCount = 0
            return text
        }
    }

    /// The line that replaces dropped lines.
    private static func droppedLinesMessage(of count: Int) -> String {
        let time = timestamp(unixNanoseconds: WallClock.unixNanoseconds())
        return "\(time) warning  log lines were dropped here, because the output was blocked count=\(count)\n"
    }
}
