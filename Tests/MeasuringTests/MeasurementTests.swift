import Foundation
import Media
import RTSPClient
import Testing

@testable import Measuring

/// Verdicts, tables and plots of measurements.
@Suite struct MeasurementTests {
    private static func viewers(_ change: (inout ViewersTally) -> Void = { _ in }) throws -> MeasuredViewers {
        let session = try SessionPlan("rtsp://ann:secret@127.0.0.1/cam", transport: .udp)
        var tally = ViewersTally()
        tally.established = 2
        (tally.packets, tally.gaps, tally.lost) = (990, 2, 10)
        (tally.wholeUnits, tally.unitsInTime, tally.brokenUnits) = (100, 90, 4)
        for milliseconds in [3, 5, 40] as [Int64] {
            tally.captureToArrival.record(nanoseconds: milliseconds * 1_000_000)
        }
        tally.connectToPlay.record(nanoseconds: 7_000_000)
        change(&tally)
        return MeasuredViewers(ViewersPlan(.packets(.rtsp(session)), count: 2, seconds: 10), tally)
    }

    @Test(
        arguments: [
            ("p50>5.1ms", true), ("p50>4.9ms", false), ("arrival.max>39ms", false), ("play.p99<=7ms", false),
            ("play.p99>8ms", true), ("loss>1%", true), ("loss>=1%", false), ("lost>9", false), ("gaps>2", true),
            ("units<100", true), ("units-in-time<91", false), ("broken>4", true), ("failed>0", true),
            ("established<2", true),
        ] as [(String, Bool)])
    func thresholdsApplyToViewers(text: String, passes: Bool) throws {
        let evaluation = try Self.viewers().evaluate(try Threshold(text, in: .viewers))
        #expect((evaluation == .passed) == passes)
        if case .undecided = evaluation { Issue.record("the quantity was measured: \(evaluation)") }
    }

    @Test(arguments: ["hand-over.p50>1ms", "fan-out.max>1ms", "half-rate-oldest>1s", "server-cost>1"])
    func aThresholdOnAnUnmeasuredQuantityIsUndecided(text: String) throws {
        let evaluation = try Self.viewers().evaluate(try Threshold(text, in: .viewers))
        guard case .undecided = evaluation else {
            Issue.record("the quantity was not measured: \(evaluation)")
            return
        }
    }

    @Test func theExitStatusIsThatOfTheWorstResult() throws {
        let holds = try Threshold("lost>0", in: .viewers)
        let passes = try Threshold("lost>99", in: .viewers)
        #expect(try Self.viewers().verdict(on: [passes]) == Verdict(.passed))
        let failed = try Self.viewers().verdict(on: [passes, holds])
        #expect(failed == Verdict(.failed, reasons: ["lost>0: the value is 10"]) && failed.exitStatus == 2)
        let incomplete = try Self.viewers { $0.failures = ["no answer": 3] }
        let sentence = "rtsp://127.0.0.1/cam: 3 sessions failed: no answer"
        #expect(incomplete.verdict(on: [passes]) == Verdict(.incomplete, reasons: [sentence]))
        #expect(incomplete.verdict(on: [holds]) == Verdict(.failed, reasons: ["lost>0: the value is 10", sentence]))
        let nothing = try Self.viewers { ($0.established, $0.failures) = (0, ["no answer": 3]) }
        let error = nothing.verdict(on: [holds])
        #expect(error == Verdict(.error, reasons: [sentence]) && error.exitStatus == 1)
    }

    @Test func aFileThatCannotBeWrittenMakesTheResultIncomplete() {
        #expect(Verdict(.passed).incomplete(because: "no room") == Verdict(.incomplete, reasons: ["no room"]))
        #expect(Verdict(.failed, reasons: ["a"]).incomplete(because: "b") == Verdict(.failed, reasons: ["a", "b"]))
    }

    @Test func theJSONOfAVerdictContainsTheExitStatus() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(
            decoding: try encoder.encode(Verdict(.failed, reasons: ["lost>0: the value is 10"])), as: UTF8.self)
        #expect(json == #"{"exitStatus":2,"outcome":"failed","reasons":["lost>0: the value is 10"]}"#)
    }

    @Test func thresholdsApplyToJoins() throws {
        let session = try SessionPlan("rtsp://127.0.0.1/cam", transport: .udp)
        let viewer = ViewerRecord(.steady, opened: MonotonicTime(nanoseconds: 5_000_000_000))
        viewer.described(rates: [.video], mainTrack: 0)
        viewer.played(firstSequenceNumbers: [nil], at: MonotonicTime(nanoseconds: 5_004_000_000))
        viewer.end = .session(.closed(.finished), .udp)
        var tally = ViewersTally()
        tally.add(viewer)
        let report = JoinsReport(
            transport: "udp", joins: 1, withKeyframe: 0, failures: [:], packets: 0, lost: 0, gaps: 0)
        let joins = MeasuredJoins(JoinsPlan(.rtsp(session), count: 1), report, tally)
        #expect(!joins.isEmpty)
        #expect(
            joins.verdict(on: []) == Verdict(.incomplete, reasons: ["rtsp://127.0.0.1/cam: 1 joins received no frame"])
        )
        #expect(joins.verdict(on: [try Threshold("play.max>3ms", in: .joins)]).exitStatus == 2)
        #expect(joins.csv.split(separator: "\n").last == "0,steady,0.000000,4.000,,,0,0,0,0,0,0,0,0,0,torn down")
        #expect(joins.svg?.contains("connect → PLAY answered: p50 4.0, p99 4.0 ms") == true)
    }

    @Test func framesHaveATableAPlotAndThresholds() throws {
        let frames = [7, 9].map { age in
            MeasuredEncoding.Frame(
                instant: MonotonicTime(nanoseconds: age * 1_000_000_000), age: age * 1_000_000, ageWithoutEncoder: nil)
        }
        let encoder = [PlotPoint(instant: MonotonicTime(nanoseconds: 10_500_000_000), nanoseconds: 2_000_000)]
        let report = EncodingReport(
            source: "test card", encoder: "libx264", width: 320, height: 240, frameRate: 30, skipped: 1,
            processorLoad: 0.25, encoderLoad: 0.1)
        let encoding = MeasuredEncoding(report: report, frames: frames, encoder: encoder)
        func fails(_ text: String) throws -> Bool {
            encoding.evaluate(try Threshold(text, in: .encoding)) != .passed
        }
        #expect(try fails("max>8ms") && !fails("p50>8ms") && fails("encoder.mean>=2ms") && fails("load>=25%"))
        #expect(try fails("beside-encoder.p50<1s"), "nothing was encoded here")
        #expect(encoding.verdict(on: []).outcome == .incomplete)
        #expect(
            encoding.csv.split(separator: "\n").dropFirst() == [
                "source,0,0.000000,7.000,,", "source,1,2.000000,9.000,,", "encoder,0,3.500000,,,2.000",
            ])
        #expect(encoding.svg?.contains("capture → RTP packets: p50 7.0, p99 9.0 ms") == true)
    }

    @Test func aFieldWithACommaIsQuoted() {
        var table = CommaSeparatedTable(columns: ["a", "b"])
        table.add(["1", nil])
        table.add(["x, y", "say \"no\""])
        #expect(table.text == "a,b\n1,\n\"x, y\",\"say \"\"no\"\"\"\n")
    }
}
