import Testing

@testable import Measuring

/// Over loopback, with sockets of its own.
@Suite struct LimitBenchTests {
    @Test(arguments: [true, false]) func everyByteThatItSaysItSentArrives(isPaced: Bool) throws {
        var plan = try LimitPlan(viewers: 5, unitsPerSecond: 100, packetsPerUnit: 2.5)
        (plan.seconds, plan.isPaced, plan.rounds) = (0.2, isPaced, 2)
        let report = try LimitBench.run(plan).report
        for cost in [report.wholeTrains, report.cutTrains, report.datagrams, report.connections] {
            #expect(cost.bytes > 0)
            #expect(cost.lostBytes == 0)
            #expect(cost.refusedBytes == 0)
            #expect(cost.processorSecondsPerGigabyte > 0)
        }
        #expect(report.wholeTrains.bytes.isMultiple(of: UInt64(plan.viewers * plan.packetByteCount)))
    }

    @Test func aUnitOfSeveralTrainsArrivesWhole() throws {
        var plan = try LimitPlan(viewers: 3, bitsPerSecond: 20_000_000, unitsPerSecond: 20, packetsPerUnit: 129)
        (plan.seconds, plan.rounds) = (0.2, 1)
        let report = try LimitBench.run(plan).report
        for trains in [report.wholeTrains, report.cutTrains] {
            #expect(trains.bytes > 0)
            #expect(trains.bytes.isMultiple(of: UInt64(3 * 129 * plan.packetByteCount)))
        }
        // Not the connections: such a unit is more than a new one takes at once.
        for cost in [report.wholeTrains, report.cutTrains, report.datagrams] {
            #expect(cost.lostBytes + cost.refusedBytes == 0)
        }
    }
}
