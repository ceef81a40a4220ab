import Glibc
import Logging
import Media
import Reactor

/// Writes each message as one line on standard error: time, level, message, `key=value` pairs.
///
/// Levels are coloured on a terminal only. A line is written with one call, so lines of several threads do not mix.
public struct LineLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    /// The level of the threshold, unless this logger has its own level.
    public var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let threshold: LogThreshold
    private let tail: LogTail?
    private var ownLevel: Logger.Level?
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - threshold: the least severe level that is written; loggers may share it.
    ///   - tail: keeps the last lines; loggers may share it.
    ///   - isTerminal: whether to colour the levels.
    ///   - write: writes a whole line, which ends with a line feed.
    public init(
        label: String, threshold: LogThreshold = LogThreshold(), tail: LogTail? = nil,
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        write: @escaping @Sendable (String) -> Void = writeToStandardError
    ) {
        self.label = label
        (self.threshold, self.tail) = (threshold, tail)
        self.isTerminal = isTerminal
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let all =
            metadata
            .merging(metadataProvider?.get() ?? [:]) { $1 }
            .merging(event.metadata ?? [:]) { $1 }
        let pairs = all.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.formatted("\($0.value)"))" }.joined()
        let time = timestamp(unixNanoseconds: WallClock.unixNanoseconds())
        let text = printable("\(event.message)") + pairs
        write("\(time) \(formatted(event.level)) \(text)\n")
        tail?.append(text, event.level)
    }

    private func formatted(_ level: Logger.Level) -> String {
        let name = "\(level)".padded(to: 8)
        guard isTerminal else { return name }
        let colour =
            switch level {
            case .trace, .debug: "2"
            case .info: "32"
            case .notice: "36"
            case .warning: "33"
            case .error, .critical: "31"
            }
        return "\u{1B}[\(colour)m\(name)\u{1B}[0m"
    }

    /// A value in quotes if it is not a single word.
    private static func formatted(_ value: String) -> String {
        let text = printable(value)
        return text.isEmpty || text.contains(where: { $0 == " " || $0 == "\"" || $0 == "=" })
            ? "\"" + text.replacing("\"", with: "\\\"") + "\"" : text
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
