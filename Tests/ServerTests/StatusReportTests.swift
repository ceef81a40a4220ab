import Logging
import Media
import Streams
import Synchronization
import Testing

@testable import Server

struct StatusReportTests {
    /// A source whose encoder has done what the test says.
    private final class Coder: Source {
        let label = "coder"
        let told = Mutex<SourceStatus?>(nil)

        var status: SourceStatus? { told.withLock { $0 } }
        func run(into stream: Stream) throws(SourceFailure) {}
        func stop() {}
        func requestRandomAccess() {}

        func code(_ pictures: Int, skipping skipped: Int, quantizer: Int) {
            told.withLock {
                var status = $0 ?? SourceStatus()
                status.pictureCount += pictures
                status.skippedCount += skipped
                status.quantizerTotal += pictures * quantizer
                status.quantizedCount += pictures
                $0 = status
            }
        }
    }

    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
    private let lines = Lines()

    private func publish(_ pictures: Int, byteCount: Int) {
        let track = TrackID(0)
        for number in 0..<pictures {
            let time = MediaTime(ticks: Int64(stream.published.pictureCount * 3_000), rate: .video)
            stream.publish(
                AccessUnit(
                    track: track, presentationTime: time, decodeTime: time, isRandomAccess: number == 0,
                    nalUnits: [[UInt8](repeating: 1, count: byteCount)]))
        }
    }

    @Test func eachLineTellsWhatWasDoneSinceTheLast() throws {
        let coder = Coder()
        let sets = try #require(H264.ParameterSets(sequence: [[0x67, 66, 0, 30, 1]], picture: [[0x68, 1]]))
        stream.announce([Track(id: TrackID(0), clockRate: .video, format: .h264(sets))])
        let report = StatusReport([(stream, coder)], log: lines.logger, start: MonotonicTime(nanoseconds: 0))
        coder.code(100, skipping: 3, quantizer: 20)
        publish(50, byteCount: 2_500)
        report.write([], at: MonotonicTime(nanoseconds: 10_000_000_000))
        coder.code(10, skipping: 0, quantizer: 31)
        publish(10, byteCount: 1_250)
        report.write([.init()], at: MonotonicTime(nanoseconds: 12_000_000_000))
        #expect(lines.all.count == 3)
        let expected = [
            "stream status kilobitsPerSecond=100.0 path=/cam pictures=50 quantizer=20.0 seconds=10.0 skipped=3",
            "stream status kilobitsPerSecond=50.0 path=/cam pictures=10 quantizer=31.0 seconds=2.0 skipped=0",
            "loop status bytes=0 droppedUnits=0 loop=0 messages=0 packets=0 refusedMessages=0 seconds=2.0 systemCalls=0 "
                + "units=0",
        ]
        for (line, text) in zip(lines.all, expected) { #expect(line.contains(text), "\(line)") }
    }

    @Test func aSourceWithoutAnEncoderTellsNoQuantizer() {
        let report = StatusReport([(stream, Coder())], log: lines.logger, start: MonotonicTime(nanoseconds: 0))
        report.write([], at: MonotonicTime(nanoseconds: 1_000_000_000))
        #expect(lines.all.count == 1)
        #expect(lines.all[0].contains("kilobitsPerSecond=0.0 path=/cam pictures=0 seconds=1.0\n"))
    }
}
