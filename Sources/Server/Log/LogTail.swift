import DequeModule
import Logging
import Reactor
import Synchronization

/// The last lines of the log, for operators. Thread-safe.
public final class LogTail: Sendable {
    /// A line of the log.
    public struct Line: Hashable, Sendable, Encodable {
        /// Counts the lines from 1.
        public let number: UInt64
        /// In milliseconds since 1970.
        public let time: Double
        public let level: String
        /// The message and its pairs.
        public let text: String
    }

    private struct State {
        var lines: Deque<Line> = []
        var number: UInt64 = 0
    }

    /// The number of lines that are kept: a quarter of a megabyte.
    public static let capacity = 1_000
    /// The bytes of a line that are kept.
    static let maximumLineByteCount = 1_000

    private let state = Mutex(State())

    public init() {}

    /// Adds a line.
    func append(_ text: String, _ level: Logger.Level) {
        let time = Double(WallClock.unixNanoseconds() / 1_000) / 1_000
        let isLong = text.utf8.count > Self.maximumLineByteCount
        let text = isLong ? String(decoding: text.utf8.prefix(Self.maximumLineByteCount), as: UTF8.self) + "…" : text
        state.withLock { state in
            state.number += 1
            if state.lines.count == Self.capacity { state.lines.removeFirst() }
            state.lines.append(Line(number: state.number, time: time, level: level.rawValue, text: text))
        }
    }

    /// The lines of at least this level that are newer than the line `number`, oldest first.
    public func lines(after number: UInt64 = 0, from level: Logger.Level = .trace) -> [Line] {
        state.withLock { state in
            state.lines.filter { $0.number > number && (Logger.Level(rawValue: $0.level) ?? .critical) >= level }
        }
    }
}
