import Testing

@testable import RateControl

/// The rule with packets over a link with a queue of 200 ms that overflows.
@Suite struct PacketPathTests {
    static let step = "delay 20ms rate 4mbit queue 200ms at 10s rate 1mbit at 40s rate 4mbit"

    @Test func transportWideFeedbackFollowsTheLink() throws {
        var path = try PacketPath(Self.step, reports: .transportWide)
        path.run(seconds: 70)
        let flow = path.flows[0]
        // 20 ms of each delay are the link's.
        let worst = try #require(flow.delays.map(\.delay).max())
        #expect(worst - 0.02 <= 0.3)
        let lagging = flow.delays.drop { $0.captured < 10 }.drop { $0.delay < 0.17 }
        let drained = try #require(lagging.first { $0.delay < 0.17 })
        #expect(drained.captured + drained.delay < 11)
        let risen = try #require(flow.changes.first { $0.time > 40 && $0.rate >= 2.7e6 })
        #expect(risen.time < 55)
    }

    @Test func twoReceiverReportsBringTheRateBelowTheLink() throws {
        var path = try PacketPath(Self.step, reports: .receiver)
        path.run(seconds: 70)
        let flow = path.flows[0]
        let second = try #require(flow.reportTimes.filter { $0 > 10 }.dropFirst().first)
        let below = try #require(flow.changes.first { $0.time > 10 && $0.rate < 1e6 })
        #expect(below.time < second + 0.1)
        let risen = try #require(flow.changes.first { $0.time > 40 && $0.rate >= 2.7e6 })
        #expect(risen.time < 60)
    }

    @Test(arguments: [0, 6, 8, 11, 12, 17, 20.0]) func twoStreamsShareALinkFairly(start: Double) throws {
        var path = try PacketPath(
            "delay 20ms rate 2mbit queue 200ms", reports: .transportWide, starts: [0, start])
        path.run(seconds: 180)
        let rates = path.flows.map { Double($0.lateByteCount) }
        #expect(fairness(rates) >= 0.95)
        // The link is used, and not merely shared.
        #expect(rates.reduce(0, +) * 8 / 120 >= 0.75 * 2e6)
    }
}

/// Jain's index: 1 if all are equal, 1/n if one has everything.
func fairness(_ rates: [Double]) -> Double {
    let sum = rates.reduce(0, +)
    return sum * sum / (Double(rates.count) * rates.reduce(0) { $0 + $1 * $1 })
}
