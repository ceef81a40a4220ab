import Media
import Streams
import Testing

@testable import Server

struct StatusReportTests {
    private let lines = Lines()

    private func published(_ pictures: Int, byteCount: Int) -> Stream.Published {
        var published = Stream.Published()
        (published.pictureCount, published.byteCount) = (pictures, byteCount)
        return published
    }

    private func encoded(_ pictures: Int, skipping skipped: Int, quantizerTotal: Int) -> SourceStatus {
        var status = SourceStatus()
        (status.pictureCount, status.skippedCount) = (pictures, skipped)
        (status.quantizerTotal, status.quantizedCount) = (quantizerTotal, pictures)
        return status
    }

    private func seconds(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func eachLineCountsSinceTheLastOne() throws {
        let report = StatusReport(log: lines.logger, start: seconds(0))
        report.write(
            [
                "/cam": .init(
                    published: published(50, byteCount: 125_000),
                    encoded: encoded(100, skipping: 3, quantizerTotal: 2_000))
            ], [], at: seconds(10))
        report.write(
            [
                "/cam": .init(
                    published: published(60, byteCount: 137_500),
                    encoded: encoded(110, skipping: 3, quantizerTotal: 2_310))
            ], [.init()], at: seconds(12))
        #expect(lines.all.count == 3)
        let expected = [
            "stream status kilobitsPerSecond=100.0 path=/cam pictures=50 quantizer=20.0 seconds=10.0 skipped=3",
            "stream status kilobitsPerSecond=50.0 path=/cam pictures=10 quantizer=31.0 seconds=2.0 skipped=0",
            "loop status bytes=0 droppedUnits=0 loop=0 messages=0 packets=0 refusedMessages=0 retransmittedPackets=0 "
                + "seconds=2.0 systemCalls=0 units=0",
        ]
        for (line, text) in zip(lines.all, expected) { #expect(line.contains(text), "\(line)") }
    }

    @Test func aSourceWithoutAnEncoderReportsNoQuantizer() {
        let report = StatusReport(log: lines.logger, start: seconds(0))
        report.write(["/cam": .init(published: .init(), encoded: nil)], [], at: seconds(1))
        #expect(lines.all.count == 1)
        #expect(lines.all[0].contains("kilobitsPerSecond=0.0 path=/cam pictures=0 seconds=1.0\n"))
    }

    @Test func aPathThatIsAddedAgainCountsFromZero() {
        let report = StatusReport(log: lines.logger, start: seconds(0))
        report.write(["/a": .init(published: published(50, byteCount: 0), encoded: nil)], [], at: seconds(1))
        report.forget("/a")
        let again = StatusReport.Counts(published: published(10, byteCount: 0), encoded: nil)
        report.write(["/a": again, "/b": again], [], at: seconds(2))
        #expect(lines.all.dropFirst().allSatisfy { $0.contains("pictures=10 ") })
    }
}
