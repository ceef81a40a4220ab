import Logging
import Synchronization

/// Collects everything that is logged, with its metadata.
final class LoggedText: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    private struct Handler: LogHandler {
        let collected: LoggedText
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            collected.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    var logger: Logger { Logger(label: "test") { _ in Handler(collected: self) } }
}
