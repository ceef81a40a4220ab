import Testing

@testable import Measuring

@Suite struct LimitPlanTests {
    @Test(arguments: [1, 1.5, 7.4, 8, 8.25] as [Double])
    func unitsHaveTheAverageNumberOfPackets(average: Double) throws {
        let plan = try LimitPlan(viewers: 1, unitsPerSecond: 200, packetsPerUnit: average)
        let units = (0..<1_000).map(plan.packets(inUnit:))
        #expect(units.reduce(0, +) == Int(1_000 * average))
        #expect(Set(units).isSubset(of: [Int(average), plan.mostPackets]))
    }

    @Test func thePacketSizeFollowsFromTheBitrate() throws {
        let plan = try LimitPlan(viewers: 1, bitrate: 2_000_000, unitsPerSecond: 30, packetsPerUnit: 7.4)
        #expect(plan.payloadByteCount == 1_126)
        #expect(plan.packetByteCount == 1_138)
    }

    @Test(arguments: [(100_000, 100, 64), (8_000_000, 23.5, 45)] as [(Int, Double, Int)])
    func aGSOBatchIsNotLongerThanTheKernelAccepts(bitrate: Int, packets: Double, longest: Int) throws {
        let plan = try LimitPlan(viewers: 1, bitrate: bitrate, packetsPerUnit: packets)
        #expect(plan.packetsPerGSOBatch == longest)
        #expect(plan.packetsPerGSOBatch * plan.packetByteCount <= 65_507)
    }

    @Test func packetsTooLongForEthernetAreRefusedWithTheMinimumNumber() throws {
        let failure = #expect(throws: LimitFailure.self) { try LimitPlan(viewers: 1, packetsPerUnit: 5) }
        #expect(failure?.remedy.contains("at least 5.8 packets") == true)
        _ = try LimitPlan(viewers: 1, packetsPerUnit: 5.8)
    }

    @Test(arguments: [0, 0.9, 513, .nan, .infinity] as [Double])
    func invalidNumbersOfPacketsAreRefused(packets: Double) {
        #expect(throws: LimitFailure.self) { try LimitPlan(viewers: 1, packetsPerUnit: packets) }
    }

    @Test func aPacketHasAtLeastOneByte() {
        #expect(throws: LimitFailure.self) { try LimitPlan(viewers: 1, bitrate: 960, packetsPerUnit: 7.4) }
    }

    @Test func moreViewersThanDescriptorsAreRefusedWithTheMaximum() throws {
        let plan = try LimitPlan(viewers: 100_000_000)
        let failure = #expect(throws: LimitFailure.self) { try LimitDescriptors.check(for: plan) }
        let remedy = try #require(failure?.remedy)
        let most = try #require(remedy.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
        try LimitDescriptors.check(for: LimitPlan(viewers: most))
    }
}
