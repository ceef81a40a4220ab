import Testing

@testable import RateControl

@Suite struct ViewerCrowdTests {
    /// Two thirds of the paths vary.
    static let mixed: [LinkTrace] =
        (1...4).flatMap { [.wifi(seed: $0), .lte(seed: $0), .walk(seed: $0)] }
        + [2, 4, 5, 8, 8, 8, 20, 20].map { .steady($0 * 1e6) }

    /// Without optimisation, fewer viewers are simulated, because the test would take minutes.
    static let counts = [300, 1_000, 10_000].filter { $0 <= 300 || !_isDebugAssertConfiguration() }

    @Test(arguments: counts) func aCrowdChangesTheBitrateAtMostSixTimesAMinute(count: Int) {
        var crowd = ViewerCrowd(Self.mixed, count: count)
        crowd.run(seconds: 180)
        let changes = crowd.changes.filter { $0.time >= 60 }
        #expect(changes.count <= 12)
        // Few changes are no excuse for a low rate.
        #expect(changes.allSatisfy { $0.rate >= 0.8e6 })
    }

    @Test(arguments: [1.0, 1.7, 2.5]) func aLoneViewerOfASteadyPathChangesItAtMostSixTimesAMinute(megabits: Double) {
        var crowd = ViewerCrowd([.steady(megabits * 1e6)], count: 1)
        crowd.run(seconds: 180)
        #expect(crowd.changes.count { $0.time >= 60 } <= 12)
    }

    @Test func oneLiarAmongTenChangesNothing() {
        var crowd = ViewerCrowd([.steady(4e6)], count: 10, liarCount: 1)
        crowd.run(seconds: 60)
        #expect(crowd.changes.isEmpty)
        var two = ViewerCrowd([.steady(4e6)], count: 10, liarCount: 2)
        two.run(seconds: 60)
        #expect(!two.changes.isEmpty)
    }

    @Test func oneSlowViewerAmongTenChangesNothing() {
        var crowd = ViewerCrowd([.steady(0.4e6)] + Array(repeating: .steady(4e6), count: 9), count: 10)
        crowd.run(seconds: 60)
        #expect(crowd.changes.isEmpty)
    }
}
