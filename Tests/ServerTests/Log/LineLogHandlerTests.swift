import Dispatch
import Logging
import Media
import Synchronization
import Testing

@testable import Server

struct LineLogHandlerTests {
    @Test func aLineHasTimeLevelMessageAndPairs() throws {
        let lines = Lines()
        lines.logger.info("joined", metadata: ["path": "/cam", "client": "VLC 3", "empty": ""])
        let line = try #require(lines.all.first)
        #expect(line.hasSuffix("Z info     joined client=\"VLC 3\" empty=\"\" path=/cam\n"))
    }

    @Test func textFromClientsCannotBreakTheLineOrTheTerminal() throws {
        let lines = Lines()
        lines.logger.warning("bad\r\nfake line", metadata: ["agent": "\u{1B}[31mred\""])
        let line = try #require(lines.all.first)
        #expect(line.hasSuffix("warning  bad\\u{d}\\u{a}fake line agent=\"\\u{1b}[31mred\\\"\"\n"))
    }

    @Test func messagesBelowTheLevelAreNotWritten() {
        let lines = Lines()
        lines.logger.debug("quiet")
        #expect(lines.all.isEmpty)
    }

    @Test func theThresholdOfAllLoggersChangesWhileTheyLog() {
        let threshold = LogThreshold(.warning)
        let written = Mutex<[String]>([])
        let loggers = (0..<2).map { _ in
            Logger(label: "test") { label in
                LineLogHandler(label: label, threshold: threshold, isTerminal: false) { line in
                    written.withLock { $0.append(line) }
                }
            }
        }
        var own = loggers[0]
        own.logLevel = .error
        for logger in loggers { logger.info("before") }
        threshold.level = .debug
        for logger in loggers { logger.debug("after") }
        own.info("never")
        #expect(written.withLock { $0 }.count == 2)
        #expect(written.withLock { $0 }.allSatisfy { $0.contains("after") })
    }

    @Test(arguments: Logger.Level.allCases)
    func theThresholdCanBeEveryLevel(_ level: Logger.Level) {
        #expect(LogThreshold(level).level == level)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_795_252_089, "2026-11-21T09:08:09.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func timestampsAreRight(_ seconds: Int64, _ expected: String) {
        #expect(timestamp(unixNanoseconds: seconds * 1_000_000_000) == expected)
    }
}

/// Collects log lines.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { label in
            LineLogHandler(label: label, isTerminal: false) { line in self.lines.withLock { $0.append(line) } }
        }
    }
}

/// A semaphore that tests may share between threads.
final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }
    /// Whether it was signalled before the deadline.
    func wait(until deadline: DispatchTime) -> Bool { semaphore.wait(timeout: deadline) == .success }
    func signal() { semaphore.signal() }
}
