import Dispatch
import Reactor
import Synchronization

/// Writes lines on a thread of its own: a disk, a terminal or a reader that takes its time holds up nobody who logs.
///
/// At most ``capacity`` bytes wait. Lines that find no room are counted, and what is written next says how many are missing. From any
/// thread.
public final class LogWriter: Sendable {
    private struct State {
        var waiting = ""
        var droppedCount = 0
        /// Whether the thread has been told to write what waits.
        var isWriting = false
    }

    /// Bytes that wait: some two thousand lines.
    public static let capacity = 262_144

    private let state = Mutex(State())
    private let thread: WorkThread
    private let put: @Sendable (String) -> Void

    /// Starts the thread.
    ///
    /// - Parameter put: takes whole lines, on the writer's thread; may block.
    public init(to put: @escaping @Sendable (String) -> Void = writeToStandardError) throws(SystemError) {
        thread = try WorkThread(name: "apus-log")
        self.put = put
    }

    /// Has a line written, line feed included, and returns at once.
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

    /// Waits until what was logged before is written, but no longer than that: whoever reads the log may have gone.
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

    /// The line that stands where others are missing.
    private static func droppedLinesMessage(of count: Int) -> String {
        let time = timestamp(unixNanoseconds: WallClock.unixNanoseconds())
        return "\(time) warning  lines are missing here: nobody took them in time count=\(count)\n"
    }
}
