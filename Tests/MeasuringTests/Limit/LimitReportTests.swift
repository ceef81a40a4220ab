import Foundation
import Testing

@testable import Measuring

/// A round in which all bytes but `lost` arrive, at `cost` nanoseconds of processor time per byte.
private func round(bytes: UInt64 = 1_000_000, cost: Double, lost: UInt64 = 0, refused: UInt64 = 0) -> SendingRound {
    SendingRound(
        sent: SentCount(bytes: bytes, refusedBytes: refused, systemCalls: 10),
        received: ReceivedCount(bytes: bytes - lost, processorNanoseconds: Int64(bytes / 2)),
        processorNanoseconds: Int64(cost * Double(bytes)), nanoseconds: Int64(4 * bytes))
}

private func report(
    gsoWithGRO: SendingRound, gso: SendingRound = round(cost: 2), datagrams: SendingRound, connections: SendingRound
) throws -> LimitReport {
    LimitReport(
        try LimitPlan(viewers: 10), gsoWithGRO: SendingCost([gsoWithGRO]), gso: SendingCost([gso]),
        datagrams: SendingCost([datagrams]), connections: SendingCost([connections]))
}

@Suite struct LimitReportTests {
    @Test func theCostIsTheMedianOfTheRounds() {
        let cost = SendingCost([round(cost: 5), round(cost: 0.5), round(cost: 0.75)])
        #expect(cost.processorSecondsPerGigabyte == 0.75)
        #expect(cost.cheapestRound == 0.5)
        #expect(cost.dearestRound == 5)
        #expect(SendingCost([round(cost: 1), round(cost: 2)]).processorSecondsPerGigabyte == 1.5)
    }

    @Test func bytesAndRatesAreSumsOverAllRounds() {
        let cost = SendingCost([round(cost: 1, lost: 250_000), round(cost: 1, refused: 500_000)])
        #expect(cost.bytes == 2_000_000)
        #expect(cost.lostBytes == 250_000)
        #expect(cost.refusedBytes == 500_000)
        #expect(cost.missingShare == 0.3)
        #expect(cost.systemCalls == 20)
        // 1.75 MB in 8 ms.
        #expect(cost.gigabitsPerSecond == 1.75)
        #expect(cost.receivingSecondsPerGigabyte == 1 / 1.75)
    }

    @Test func aRunWithoutSentBytesIsInvalid() throws {
        let nothing = SendingRound()
        let report = try report(gsoWithGRO: nothing, datagrams: nothing, connections: nothing)
        #expect(report.void)
        #expect(report.datagramsToGSO == 0)
    }

    @Test(arguments: [(1.6, true), (1.5, false), (0.5, false)])
    func aRunIsInvalidIfGSOIsNotThreeTimesCheaper(gsoWithGRO: Double, isVoid: Bool) throws {
        let report = try report(
            gsoWithGRO: round(cost: gsoWithGRO), datagrams: round(cost: 4.5), connections: round(cost: 1))
        #expect(report.datagramsToGSO == 4.5 / gsoWithGRO)
        #expect(report.void == isVoid)
        #expect(report.table.contains("VOID") == isVoid)
    }

    @Test(arguments: [(0, false), (1_000, false), (1_001, true)] as [(UInt64, Bool)])
    func aRunIsInvalidWithMoreThanAThousandthLost(lost: UInt64, isVoid: Bool) throws {
        let (whole, lossy) = (round(cost: 0.5), round(cost: 0.5, lost: lost))
        #expect(try report(gsoWithGRO: lossy, datagrams: round(cost: 2), connections: whole).void == isVoid)
        #expect(
            try report(gsoWithGRO: whole, datagrams: round(cost: 2, lost: lost), connections: whole).void == isVoid)
        #expect(
            try report(gsoWithGRO: whole, gso: lossy, datagrams: round(cost: 2), connections: whole).void == isVoid)
        #expect(try report(gsoWithGRO: whole, datagrams: round(cost: 2), connections: lossy).void == isVoid)
    }

    @Test func theJSONStatesWhetherTheRunIsInvalid() throws {
        let report = try report(gsoWithGRO: round(cost: 1), datagrams: round(cost: 1), connections: round(cost: 1))
        let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
        #expect(json.contains(#""void":true"#))
        #expect(json.contains(#""voidReasons":["datagrams cost only 1.00 times"#))
    }
}
