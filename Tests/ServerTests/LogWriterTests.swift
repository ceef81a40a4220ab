import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Server

struct LogWriterTests {
    /// What a writer's reader has taken; the first piece only when it is let to.
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

    @Test func linesComeWholeAndInTheirOrder() throws {
        let reader = Reader(blocked: false)
        let writer = try LogWriter(to: reader.take)
        for number in 0..<1_000 { writer.write("line \(number)\n") }
        writer.flush(withinMilliseconds: 10_000)
        #expect(reader.lines == (0..<1_000).map { "line \($0)" })
    }

    @Test func aReaderThatTakesNothingHoldsUpNobodyAndIsToldWhatItMissed() throws {
        let reader = Reader(blocked: true)
        let writer = try LogWriter(to: reader.take)
        let line = String(repeating: "x", count: 99)
        let count = 10 * LogWriter.capacity / 100
        // Each of these would wait for ever.
        for _ in 0..<count { writer.write(line + "\n") }
        #expect(reader.lines.isEmpty)
        reader.open()
        writer.flush(withinMilliseconds: 10_000)
        let kept = reader.lines.filter { $0 == line }.count
        // One piece is with the reader, and one waits.
        #expect(kept <= 2 * LogWriter.capacity / 100)
        // One stands where the first piece ends, if that was full already.
        let complaints = reader.lines.compactMap { $0.firstMatch(of: /nobody took them in time count=(\d+)/) }
        #expect((1...2).contains(complaints.count))
        #expect(complaints.compactMap { Int($0.1) }.reduce(0, +) == count - kept)
        writer.write("after\n")
        writer.flush(withinMilliseconds: 10_000)
        #expect(reader.lines.last == "after")
    }

    @Test func whoWaitsForAReaderThatTakesNothingGoesOnInTime() throws {
        let reader = Reader(blocked: true)
        let writer = try LogWriter(to: reader.take)
        writer.write("never\n")
        writer.flush(withinMilliseconds: 20)
        #expect(reader.lines.isEmpty)
        reader.open()
    }
}
