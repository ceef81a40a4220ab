import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Server

struct LogWriterTests {
    /// A reader that collects the output of a writer, and blocks at the first piece until it is released.
    private final class Reader: Sendable {
        private let taken = Mutex("")
        private let isBlocked: Mutex<Bool>
        private let gate = DispatchSemaphore(value: 0)

        init(blocked: Bool) { isBlocked = Mutex(blocked) }

        @Sendable func take(_ text: String) {
            if isBlocked.withLock({ $0 }) { gate.wait() }
            taken.withLock { $0 += text }
        }

        func open() {
            isBlocked.withLock { $0 = false }
            gate.signal()
        }

        var lines: [Substring] { taken.withLock { $0 }.split(separator: "\n") }
    }

    @Test func linesAreWrittenWholeAndInOrder() throws {
        let reader = Reader(blocked: false)
        let writer = try LogWriter(to: reader.take)
        for number in 0..<1_000 { writer.write("line \(number)\n") }
        writer.flush(withinMilliseconds: 10_000)
        #expect(reader.lines == (0..<1_000).map { "line \($0)" })
    }

    @Test func aBlockedReaderDoesNotBlockLoggersAndDroppedLinesAreCounted() throws {
        let reader = Reader(blocked: true)
        let writer = try LogWriter(to: reader.take)
        let line = String(repeating: "x", count: 99)
        let count = 10 * LogWriter.capacity / 100
        // Without the limit, these calls would block for ever.
        for _ in 0..<count { writer.write(line + "\n") }
        #expect(reader.lines.isEmpty)
        reader.open()
        writer.flush(withinMilliseconds: 10_000)
        let kept = reader.lines.filter { $0 == line }.count
        // One piece is at the reader, and one waits.
        #expect(kept <= 2 * LogWriter.capacity / 100)
        // If the first piece was full already, it also ends with such a line.
        let complaints = reader.lines.compactMap { $0.firstMatch(of: /the output was blocked count=(\d+)/) }
        #expect((1...2).contains(complaints.count))
        #expect(complaints.compactMap { Int($0.1) }.reduce(0, +) == count - kept)
        writer.write("after\n")
        writer.flush(withinMilliseconds: 10_000)
        #expect(reader.lines.last == "after")
    }

    @Test func aFlushWithABlockedReaderReturnsInTime() throws {
        let reader = Reader(blocked: true)
        let writer = try LogWriter(to: reader.take)
        writer.write("never\n")
        writer.flush(withinMilliseconds: 20)
        #expect(reader.lines.isEmpty)
        reader.open()
    }
}
