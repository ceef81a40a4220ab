import Logging
import Synchronization

/// Collects log messages.
final class LoggedLines: Sendable {
    private let kept = Mutex<[String]>([])
    var all: [String] { kept.withLock { $0 } }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.kept.withLock { $0.append("\(event.level): \(event.message)") } }
    }

    var log: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
}
