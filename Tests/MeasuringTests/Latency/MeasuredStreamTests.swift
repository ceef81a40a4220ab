import Foundation
import Media
import Streams
import Testing

@testable import Measuring

@Suite struct MeasuredStreamTests {
    private func withReports(_ session: SyntheticSession = SyntheticSession()) throws -> MeasuredStream {
        try session.measurement(reports: [session.report(0)])
    }

    @Test func latencyIsMeasuredToTheLastPacketAndToTheDecodedFrame() throws {
        var session = SyntheticSession()
        session.delay = { 5_000_000 + Int64($0) * 10_000 }
        session.captureTimestamp = SyntheticSession.correct
        let latency = try withReports(session).report.latency
        #expect(latency.captureToArrival == DurationSummary(count: 90, p50: 5.44, p95: 5.85, p99: 5.89, max: 5.89))
        #expect(latency.captureToDecoded == DurationSummary(count: 90, p50: 7.44, p95: 7.85, p99: 7.89, max: 7.89))
        #expect(latency.arrivalToDecoded == DurationSummary(count: 90, p50: 2, p95: 2, p99: 2, max: 2))
        #expect(latency.captureToEncoded == DurationSummary(count: 90, p50: 3.3, p95: 3.3, p99: 3.3, max: 3.3))
        #expect(latency.lateness.map { ($0.max - 0.89).magnitude < 0.02 } == true)
    }

    /// For each frame, the time to arrival and the decoding time add up to the total.
    @Test func arrivalAndDecodingAddUpToTheLatency() throws {
        var session = SyntheticSession()
        session.decoding = { $0 % 7 == 0 ? nil : Int64($0) * 1_000 }
        for frame in try withReports(session).frames {
            #expect((frame.decoded == nil) == (frame.index % 7 == 0))
            guard let decoded = frame.decoded, let arrival = frame.arrival, let decoding = frame.decoding else {
                continue
            }
            #expect(arrival + decoding == decoded)
        }
    }

    @Test func theReportCountsTheReceivedFrames() throws {
        var session = SyntheticSession()
        session.isWhole = { $0 != 3 }
        session.decoding = { $0 == 3 ? nil : 1_000_000 }
        let report = try withReports(session).report
        #expect(report.frames.received == 90 && report.frames.broken == 1 && report.frames.decoded == 89)
        #expect(report.frames.keys == 3)
        #expect((report.frames.perSecond - 30).magnitude < 0.01)
        #expect(
            report.groups
                == LatencyReport.Groups(
                    whole: 2, medianFrames: 30, longestFrames: 30, median: 1_000, longest: 1_000))
        #expect((report.videoBitrate - 7_000 * 8 * 30).magnitude < 10)
        #expect(
            report.start
                == LatencyReport.Start(
                    connected: 1, playAnswered: 4, firstPacket: 5, firstDecodable: 5.5, firstDecoded: 9))
        #expect(report.clocks.relation == "same host")
        #expect(report.captureTimes.senderReports == 90)
        #expect(report.audioOffset == nil)
    }

    /// Holds for any offset of the clocks, because both tracks use the server's clock.
    @Test(arguments: [0, 3_600_000_000_000, -5_000_000_000] as [Int64])
    func theAudioOffsetIsMeasured(ahead: Int64) throws {
        let session = SyntheticSession()
        var recording = session.recording(reports: [session.report(0, ahead: ahead)])
        recording.audioRate = .audio48k
        let start = session.captured(0)
        recording.audioReports = [
            ReceivedReport(
                time: NTPTime(unixNanoseconds: start.nanoseconds + SyntheticSession.wallClockOffset + ahead),
                timestamp: 7, arrival: start)
        ]
        recording.audio = (0..<100).map { number in
            let timestamp = 7 + UInt32(number) * 1_024
            let captured = start + ClockRate.audio48k.nanoseconds(inTicks: Int64(number) * 1_024)
            return ReceivedAudio(timestamp: timestamp, arrival: captured + 26_000_000, byteCount: 200)
        }
        var plan = try withReports().plan
        plan.clocks = .estimate
        let offset = MeasuredStream(plan, recording).report.audioOffset
        #expect(offset.map { ($0 - 21).magnitude < 0.03 } == true)
    }

    @Test func aReportIsDecodedFromItsJSON() throws {
        var session = SyntheticSession()
        session.captureTimestamp = { SyntheticSession.correct($0, $0 == 7 ? $1 + 9_000_000_000 : $1) }
        let report = try withReports(session).report
        #expect(report.captureTimes.rejectedSEI == ["in the future": 1])
        let copy = try JSONDecoder().decode(LatencyReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
        #expect(report.table.contains("SEI rejected"))
    }

    @Test func everyRowOfTheFrameTableHasAllColumns() throws {
        var session = SyntheticSession()
        session.captureTimestamp = { $0 % 30 == 0 ? SyntheticSession.correct($0, $1) : nil }
        session.decoding = { $0 == 4 ? nil : 1_000_000 }
        let rows = try withReports(session).frameTable.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(rows.count == 91)
        #expect(rows.allSatisfy { $0.count == MeasuredStream.columns.count })
        #expect(rows[31][1] == "30" && rows[31][4] == "sei" && rows[32][4] == "sei+rtp" && rows[32][1] == "")
        #expect(rows[5][7] == "" && rows[5][11] == "" && rows[5][10] == "5.000")
    }

    /// Without capture times, with one frame, without frames, with implausible times.
    @Test(arguments: [0, 1, 2, 90])
    func aPlotIsDrawnForAnyData(count: Int) throws {
        for delay in [0, 5_000_000, -3_000_000_000, Int64.max / 4] {
            var session = SyntheticSession()
            session.count = count
            session.delay = { $0 % 2 == 0 ? delay : 5_000_000 }
            for reports in [[], [session.report(0)]] {
                let plot = try session.measurement(reports: reports).plot
                #expect(plot.hasPrefix("<svg ") && plot.hasSuffix("</svg>\n"))
                #expect(!plot.contains("nan") && !plot.contains("inf"))
                #expect(plot.components(separatedBy: "<text").count == plot.components(separatedBy: "</text>").count)
            }
        }
    }

    @Test func aPlotShowsEachDuration() throws {
        let plot = try withReports().plot
        #expect(plot.contains("capture → decoded: p50 7.0, p99 7.0 ms"))
        #expect(plot.contains("capture → last packet: p50 5.0, p99 5.0 ms"))
        #expect(try SyntheticSession().measurement(isOwnAddress: false).plot.contains("later than the least delayed"))
    }

    @Test(
        arguments: [
            (0, 20, [0, 5, 10, 15, 20]), (0, 7.3, [0, 2, 4, 6, 8]), (-4, 1, [-4, -3, -2, -1, 0, 1]), (0, 0, [0]),
        ]
            as [(Double, Double, [Double])])
    func axesHaveRoundLevels(smallest: Double, largest: Double, levels: [Double]) {
        let scale = PlotScale(from: smallest, to: largest)
        let drawn = largest > smallest ? scale.levels : [scale.levels[0]]
        #expect(zip(drawn, levels).allSatisfy { ($0 - $1).magnitude < 1e-9 } && drawn.count == levels.count)
        #expect((2...12).contains(scale.levels.count))
    }
}
