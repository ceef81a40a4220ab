import Media
import TestSupport
import Testing

@Suite struct TokenBucketTests {
    private static func at(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    @Test func aBurstIsFollowedByTheRate() {
        var bucket = TokenBucket(.init(burst: 3, every: 100))
        #expect(bucket.nextToken == nil)
        for _ in 0..<3 { #expect(bucket.takeOne(at: Self.at(1_000)) == true) }
        #expect(bucket.takeOne(at: Self.at(1_099)) == false)
        #expect(bucket.nextToken == Self.at(1_100))
        #expect(bucket.takeOne(at: Self.at(1_100)) == true)
        #expect(bucket.takeOne(at: Self.at(1_199)) == false)
    }

    @Test func unusedTokensAccumulateOnlyUpToTheBurst() {
        var bucket = TokenBucket(.init(burst: 24_000, earning: 5_000_000, every: 1_000_000_000))
        #expect(bucket.tokens(at: Self.at(0)) == 24_000)
        #expect(bucket.tokens(at: Self.at(3_600_000_000_000)) == 24_000)
        bucket.take(25_000)
        #expect(bucket.tokens(at: Self.at(3_600_000_000_000)) == -1_000)
        #expect(bucket.tokens(at: Self.at(3_600_002_000_000)) == 9_000)
    }

    @Test func anIntervalOfZeroIsNoLimit() {
        var bucket = TokenBucket(.init(burst: 1, every: 0))
        for _ in 0..<100 { #expect(bucket.takeOne(at: Self.at(7)) == true) }
    }

    private static func randomLimits(using random: inout SplitMix64) -> TokenBucket.Limits {
        TokenBucket.Limits(
            burst: .random(in: 1...50, using: &random), earning: .random(in: 1...7, using: &random),
            every: .random(in: 1...1_000, using: &random))
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func noSpanGrantsMoreThanTheBurstAndTheRate(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limits = Self.randomLimits(using: &random)
        var bucket = TokenBucket(limits)
        var now = Int64.random(in: -1_000_000...1_000_000, using: &random)
        let taken = (0..<200).map { _ -> (instant: Int64, count: Int64) in
            now += .random(in: 0...(Bool.random(using: &random) ? 30 : 3_000), using: &random)
            let available = bucket.tokens(at: Self.at(now))
            #expect((0...limits.burst).contains(available))
            let count = Bool.random(using: &random) ? available : min(1, available)
            bucket.take(count)
            return (now, count)
        }
        for (index, first) in taken.enumerated() {
            var sum: Int64 = 0
            for entry in taken[index...] {
                sum += entry.count
                let product = (entry.instant - first.instant) * limits.earned
                #expect(sum <= limits.burst + (product + limits.interval - 1) / limits.interval)
            }
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func aBucketThatIsNeverFullLosesNothing(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limits = Self.randomLimits(using: &random)
        var bucket = TokenBucket(limits)
        bucket.take(1_000_000)
        var now: Int64 = 0
        #expect(bucket.tokens(at: Self.at(now)) == limits.burst - 1_000_000)
        for _ in 0..<200 {
            now += .random(in: 0...300, using: &random)
            let earned = now * limits.earned / limits.interval
            let available = bucket.tokens(at: Self.at(now))
            let lost = limits.burst - 1_000_000 + earned - available
            // Instants are whole nanoseconds: without a remainder, nothing is lost.
            if limits.interval % limits.earned == 0 { #expect(lost == 0) } else { #expect(lost >= 0) }
        }
    }

    @Test func noInstantOverflows() {
        let instants: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for limits in [(1, 1, 1), (50, 5_000_000_000, 1_000_000_000), (1, 1, Int64.max)] as [(Int64, Int64, Int64)] {
            for first in instants {
                for second in instants {
                    var bucket = TokenBucket(.init(burst: limits.0, earning: limits.1, every: limits.2))
                    for now in [first, second] {
                        let available = bucket.tokens(at: Self.at(now))
                        #expect((0...limits.0).contains(available))
                        bucket.take(available)
                        _ = bucket.nextToken
                    }
                }
            }
        }
    }
}
