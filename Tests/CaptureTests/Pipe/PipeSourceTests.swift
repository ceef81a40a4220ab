import Foundation
import Media
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

@Suite struct PipeSourceTests {
    /// What a source has published, and when.
    private final class Received: Sendable {
        let units = Mutex<[(unit: AccessUnit, at: MonotonicTime)]>([])
        let tracks = Mutex<[[Track]]>([])
    }

    /// Runs a source on one end of a pipe while `body` writes to the other; returns when both have ended.
    private func pipe(_ body: (FileHandle, PipeSource) throws -> Void) throws -> Received {
        let pipe = Pipe()
        let source = PipeSource(.descriptor(pipe.fileHandleForReading.fileDescriptor))
        let received = Received()
        let failure = Mutex<SourceFailure?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do throws(SourceFailure) {
                try source.run(
                    epoch: MonotonicTime(nanoseconds: 0),
                    announce: { tracks in received.tracks.withLock { $0.append(tracks) } },
                    publish: { unit in received.units.withLock { $0.append((unit, .now())) } })
            } catch {
                failure.withLock { $0 = error }
            }
            done.signal()
        }
        thread.start()
        try body(pipe.fileHandleForWriting, source)
        done.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
        return received
    }

    @Test(
        .enabled(if: SharedData.isPresent, "needs ../shared/data"),
        arguments: [
            "h264/SVA_BA2_D.264", "h264/MR1_BT_A.h264", "h264/SVA_FM1_E.264", "h264/LS_SVA_D.264",
        ])
    func everyNALUnitThatIsWrittenIsPublished(file: String) throws {
        // One second of media, so that nothing is paced.
        let bytes = Array(try #require(SharedData.bytes(file)).prefix(12_000))
        let received = try pipe { writer, _ in
            try writer.write(contentsOf: bytes)
            try writer.close()
        }
        var splitter = H264.AnnexBSplitter()
        splitter.push(bytes)
        var expected: [[UInt8]] = []
        while let unit = splitter.next() ?? splitter.flush() { expected.append(unit) }
        let units = received.units.withLock { $0.map(\.unit) }
        #expect(units.first?.isKeyframe == true)
        let sent = units.flatMap { unit in unit.units.map { Array(unit.bytes[$0]) } }
        func isSet(_ unit: [UInt8]) -> Bool { [7, 8].contains(unit[0] & 0x1F) }
        #expect(sent.filter { !isSet($0) } == expected.filter { !isSet($0) })
        #expect(received.tracks.withLock { $0.count } >= 1)
    }

    @Test func inputOtherThanH264IsRejected() throws {
        let failure = #expect(throws: SourceFailure.self) {
            _ = try pipe { writer, _ in
                try writer.write(contentsOf: [UInt8](repeating: 0x20, count: (1 << 20) + 9000))
                try writer.close()
            }
        }
        #expect(failure?.reason.contains("has an unknown format") == true)
    }

    /// Some players of other programs write a transport stream without media first.
    @Test func aTransportStreamWithoutMediaIsRejected() throws {
        let failure = #expect(throws: SourceFailure.self) {
            _ = try pipe { writer, _ in
                try writer.write(contentsOf: (0..<8).flatMap { _ in [0x47] + [UInt8](repeating: 1, count: 187) })
                try writer.close()
            }
        }
        #expect(failure?.reason.hasPrefix("pipe descriptor") == true)
        #expect(failure?.remedy.contains("ffprobe") == true)
    }

    @Test func aShortInputWithoutH264IsRejectedAtItsEnd() throws {
        let failure = #expect(throws: SourceFailure.self) {
            _ = try pipe { writer, _ in
                try writer.write(contentsOf: Array("hello".utf8))
                try writer.close()
            }
        }
        #expect(failure?.reason.contains("has an unknown format") == true)
    }

    /// Without a byte nothing is wrong, and another writer may follow.
    @Test func anEmptyInputIsNotAFailure() throws {
        let received = try pipe { writer, _ in try writer.close() }
        #expect(received.units.withLock { $0.isEmpty })
    }

    @Test func aFifoWithoutAWriterIsReported() throws {
        let lines = LoggedLines()
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("cam"), 0o600) == 0)
        let source = PipeSource(.path(folder.file("cam")), inputLog: PipeInputLog(log: lines.log))
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            // The run ends by `stop`, which is not a failure.
            try? source.run(epoch: .now(), announce: { _ in }, publish: { _ in })
            isDone.signal()
        }.start()
        for _ in 0..<500 where lines.all.isEmpty { _ = isDone.wait(timeout: .now() + .milliseconds(20)) }
        source.stop()
        isDone.wait()
        #expect(
            lines.all == ["notice: no input yet: waiting for a program that writes to \(folder.file("cam"))"])
    }

    @Test func stoppingEndsAWaitingRun() throws {
        let received = try pipe { _, source in source.stop() }
        #expect(received.units.withLock { $0.isEmpty })
    }

    @Test func aMissingFifoIsReported() {
        let failure = #expect(throws: SourceFailure.self) {
            try PipeSource(.path("/nonexistent/fifo")).run(
                epoch: MonotonicTime(nanoseconds: 0), announce: { _ in }, publish: { _ in })
        }
        #expect(failure?.remedy.contains("mkfifo") == true)
    }
}
