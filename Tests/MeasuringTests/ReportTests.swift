import Streams
import Testing

@testable import Measuring

@Suite struct ReportTests {
    @Test func aSummaryHasTheQuantilesOfTheValues() throws {
        var histogram = DurationHistogram()
        #expect(histogram.summary == nil)
        for millisecond in 1...1_000 as ClosedRange<Int64> { histogram.record(nanoseconds: millisecond * 1_000_000) }
        let summary = try #require(histogram.summary)
        #expect(summary.count == 1_000)
        #expect((499...502).contains(summary.p50))
        #expect((949...952).contains(summary.p95))
        #expect((989...992).contains(summary.p99))
        #expect((999...1_001).contains(summary.max))
    }

    @Test func aHistogramHasEveryStatistic() throws {
        var histogram = DurationHistogram()
        #expect(histogram.milliseconds(atPercentile: 50) == nil && histogram.meanMilliseconds == nil)
        for millisecond in [2, 4, 4, 10] as [Int64] { histogram.record(nanoseconds: millisecond * 1_000_000) }
        func value(_ statistic: Quantity.Statistic) throws -> Double { try #require(statistic.value(of: histogram)) }
        #expect(try abs(value(.minimum) - 2) < 0.01 && abs(value(.percentile(0)) - 2) < 0.01)
        #expect(try abs(value(.percentile(50)) - 4) < 0.01 && abs(value(.mean) - 5) < 0.01)
        #expect(try value(.maximum) == 10 && value(.percentile(100)) == 10)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func extremeDurationsAreCounted(nanoseconds: Int64) {
        var histogram = DurationHistogram()
        histogram.record(nanoseconds: nanoseconds)
        #expect(histogram.summary?.count == 1)
    }

    @Test(
        arguments: [
            (0, 1, "0.0"), (1.25, 1, "1.3"), (-0.04, 1, "0.0"), (-2.5, 1, "-2.5"), (12.345, 2, "12.35"), (7.6, 0, "8"),
            (0.05, 2, "0.05"), (.infinity, 1, "inf"),
        ] as [(Double, Int, String)])
    func numbersAreRounded(value: Double, digits: Int, text: String) {
        #expect(ReportTable.number(value, digits: digits) == text)
    }

    @Test func valuesAreAligned() {
        var table = ReportTable()
        table.add("a", "1")
        table.add("long → name", "2")
        #expect(table.text == "a            1\nlong → name  2\n")
    }

    @Test func processorTicksAreReadAfterANameWithParentheses() {
        let stat = "42 (a) b) S 1 42 42 0 -1 4194560 1 0 0 0 700 35 0 0 20 0 3 0 1 2 3"
        #expect(ServerProcess.processorTicks(inStat: stat) == 735)
        #expect(ServerProcess.processorTicks(inStat: "42 (a) S 1") == nil)
        #expect(ServerProcess.processorTicks(inStat: "") == nil)
    }

    @Test func residentMemoryIsInBytes() {
        #expect(ServerProcess.residentBytes(inStatus: "Name:\tapus\nVmRSS:\t  2048 kB\n") == 2_097_152)
        #expect(ServerProcess.residentBytes(inStatus: "Name:\tapus\n") == nil)
    }

    @Test func aMissingProcessHasNoSnapshot() {
        #expect(ServerProcess(processID: -1).snapshot() == nil)
    }
}
