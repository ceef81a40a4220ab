import Testing

@testable import RateControl

/// The figures of one rule on one trace, in seconds.
struct RuleResult {
    let worstDelay: Double
    /// From the link's fall at 10 s until frames take less than 0.15 s again.
    let drained: Double?
    /// How much media took more than 0.5 s.
    let late: Double
    /// From the link's rise at 40 s until the bitrate is 2.7 Mbit/s again.
    let risen: Double?
    /// Changes a minute after the first minute.
    let changes: Double
    /// The share of what the link could have carried, up to the maximum.
    let used: Double
    /// 95 of 100 frames took less.
    let delay95: Double

    init(_ rule: any SimulatedRule, _ trace: LinkTrace, seconds: Double) {
        var link = FluidLink(trace)
        link.add(rule, limits: .simulated)
        link.run(until: seconds)
        let flow = link.flows[0]
        worstDelay = flow.worstDelay
        late = flow.late
        let afterFall = flow.delays.drop { $0.captured < 10 }.drop { $0.delay < 0.15 }
        drained = afterFall.first { $0.delay < 0.15 }.map { $0.captured + $0.delay - 10 }
        risen = link.changes[0].first { $0.time > 40 && $0.rate >= 2.7e6 }.map { $0.time - 40 }
        changes = Double(link.changes[0].count { $0.time > 60 }) / (seconds - 60) * 60
        let possible = (0..<Int(seconds * 10)).reduce(0) { $0 + min(trace.rate(at: Double($1) / 10), 3e6) / 10 }
        used = min(1, flow.delivered / possible)
        let sorted = flow.delays.map(\.delay).sorted()
        delay95 = sorted[sorted.count * 95 / 100]
    }
}

/// The rules that decision 065 compares, on a link with a queue of 200 ms.
@Suite struct RuleComparisonTests {
    static let others: [(name: String, rule: any SimulatedRule)] = [
        ("segments", SegmentRule()), ("shortage", ShortageRule()), ("GCC-like", GCCLikeRule()),
        ("SCReAM-like", SCReAMLikeRule()),
    ]

    @Test func theRateFollowsALinkDownAndUp() throws {
        let result = RuleResult(EstimatorRule(), .step, seconds: 61)
        #expect(result.worstDelay <= 0.6)
        #expect(try #require(result.drained) < 2)
        #expect(result.late == 0)
        #expect(try #require(result.risen) <= 20)
    }

    /// However long the link was slow, and so however rare the tries have become.
    @Test func theRateIsBackSoonAfterAnyTime() throws {
        for rise in stride(from: 20.0, through: 70, by: 1) {
            var link = FluidLink(.step(until: rise))
            link.add(EstimatorRule(), limits: .simulated)
            link.run(until: rise + 60)
            let risen = try #require(link.changes[0].first { $0.time > rise && $0.rate >= 2.7e6 }).time - rise
            #expect(risen <= 12, "after \(rise - 10) s")
        }
    }

    @Test func otherRulesBuildLongerQueues() {
        for (name, rule) in Self.others {
            let result = RuleResult(rule, .step, seconds: 20)
            #expect(result.worstDelay > 0.6, "\(name)")
        }
    }

    @Test func aSteadyLinkIsLeftInPeace() {
        let result = RuleResult(EstimatorRule(), .steady(1e6), seconds: 120)
        #expect(result.changes <= 6)
        #expect(result.used >= 0.8)
    }

    @Test func twoStreamsShareALinkFairly() {
        var link = FluidLink(.steady(2e6))
        link.add(EstimatorRule(), limits: .simulated)
        link.add(EstimatorRule(), limits: .simulated, start: 20)
        link.run(until: 60)
        let before = link.flows.map(\.delivered)
        link.run(until: 120)
        let rates = zip(link.flows, before).map { $0.delivered - $1 }
        #expect(fairness(rates) >= 0.95)
    }

    /// Prints the table of the decision.
    @Test(.enabled(if: !_isDebugAssertConfiguration(), "takes a minute without optimisation"))
    func variedTracesMakeNoLongQueues() {
        for (name, rule) in [("this module", EstimatorRule())] + Self.others {
            print(row(name, "4-1-4", [RuleResult(rule, .step, seconds: 100)]))
            print(row(name, "steady", [0.7e6, 1e6, 2e6].map { RuleResult(rule, .steady($0), seconds: 180) }))
            for make in [LinkTrace.wifi, LinkTrace.lte, LinkTrace.walk] {
                let results = (1...5).map { RuleResult(rule, make($0), seconds: 180) }
                print(row(name, make(1).name, results))
                guard rule is EstimatorRule else { continue }
                #expect(results.allSatisfy { $0.worstDelay < 1 && $0.late < 2 && $0.used > 0.7 })
            }
        }
    }

    /// The worst of the delays, and the means of the other figures.
    private func row(_ rule: String, _ trace: String, _ results: [RuleResult]) -> String {
        func mean(_ value: (RuleResult) -> Double) -> Double {
            (results.reduce(0) { $0 + value($1) } / Double(results.count) * 100).rounded() / 100
        }
        let worst = results.reduce(0) { max($0, $1.worstDelay) }
        return """
            \(trace) | \(rule) | worst \(worst) | drained \(mean { $0.drained ?? -1 }) | risen \(mean { $0.risen ?? -1 }) \
            | late \(mean(\.late)) | 95 % \(mean(\.delay95)) | used \(mean(\.used)) | changes \(mean(\.changes))
            """
    }
}
