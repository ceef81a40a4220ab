import Testing

@testable import Measuring

/// Over loopback, with sockets of its own.
@Suite struct LimitBenchTests {
    @Test(arguments: [true, false]) func allSentBytesArrive(isPaced: Bool) throws {
        var plan = try LimitPlan(viewers: 5, unitsPerSecond: 100, packetsPerUnit: 2.5)
        (plan.seconds, plan.isPaced, plan.rounds) = (0.2, isPaced, 2)
        let report = try LimitBench.run(plan).report
        for cost in [report.gsoWithGRO, report.gso, report.datagrams, report.connections] {
            #expect(cost.bytes > 0)
            #expect(cost.lostBytes == 0)
            #expect(cost.refusedBytes == 0)
            #expect(cost.processorSecondsPerGigabyte > 0)
        }
        #expect(report.gsoWithGRO.bytes.isMultiple(of: UInt64(plan.viewers * plan.packetByteCount)))
    }

    @Test func aUnitOfSeveralGSOBatchesArrivesWhole() throws {
        var plan = try LimitPlan(viewers: 3, bitrate: 20_000_000, unitsPerSecond: 20, packetsPerUnit: 129)
        (plan.seconds, plan.rounds) = (0.2, 1)
        let report = try LimitBench.run(plan).report
        for cost in [report.gsoWithGRO, report.gso] {
            #expect(cost.bytes > 0)
            #expect(cost.bytes.isMultiple(of: UInt64(3 * 129 * plan.packetByteCount)))
        }
        // Not for TCP, because a new connection does not accept such a unit at once.
        for cost in [report.gsoWithGRO, report.gso, report.datagrams] {
            #expect(cost.lostBytes + cost.refusedBytes == 0)
        }
    }
}
