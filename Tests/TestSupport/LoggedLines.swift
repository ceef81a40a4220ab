import Logging
import Synchronization

/// Collects log messages.
public final class LoggedLines: Sendable {
    private let events = Mutex<[(line: String, metadata: String)]>([])

    public init() {}

    /// The level and the message of each.
    public var all: [String] { events.withLock { $0.map(\.line) } }
    /// All lines with their metadata.
    public var text: String {
        events.withLock { $0.map { "\($0.line) \($0.metadata)" }.joined(separator: "\n") }
    }

    public var log: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.events.withLock {
                $0.append(("\(event.level): \(event.message)", "\(event.metadata ?? [:])"))
            }
        }
    }
}
