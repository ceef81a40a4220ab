import RTP
import TestSupport
import Testing

/// Properties of decode times, over random display orders.
struct DecodeOrderTests {
    private static let interval: Int64 = 3_000

    /// Display times 0, 1, 2, … frames in a random decoding order in which each frame precedes at most `depth` frames that are
    /// shown before it.
    private static func decodingOrder(_ count: Int, depth: Int, _ random: inout SplitMix64) -> [Int64] {
        var (order, waiting): ([Int64], [(time: Int64, passed: Int)]) = ([], [])
        var next: Int64 = 0
        while order.count < count {
            while waiting.count <= depth {
                waiting.append((next * interval, 0))
                next += 1
            }
            // A frame that as many later ones as possible have passed goes first.
            let index =
                waiting.firstIndex { $0.passed == depth } ?? Int.random(in: 0..<waiting.count, using: &random)
            order.append(waiting.remove(at: index).time)
            for earlier in 0..<index { waiting[earlier].passed += 1 }
        }
        return order
    }

    @Test(arguments: 0...16) func bothTimesAreRightInAnyDisplayOrderWithinTheDepth(depth: Int) {
        var random = SplitMix64(seed: UInt64(depth))
        for _ in 0..<50 {
            let presentations = Self.decodingOrder(120, depth: depth, &random)
            var order = DecodeOrder(depth: depth, interval: Self.interval)
            let times = presentations.map { order.times(presentation: $0) }
            #expect(times.map(\.presentation) == presentations, "no presentation time changes")
            #expect(times.allSatisfy { $0.decode <= $0.presentation })
            #expect(zip(times, times.dropFirst()).allSatisfy { $0.decode < $1.decode })
            // Unit k is decoded at the (k − depth)th presentation time.
            #expect(times.map(\.decode).dropFirst(depth) == ArraySlice(presentations.sorted().prefix(120 - depth)))
            #expect(order.depth == depth)
        }
    }

    @Test func withoutReorderingBothTimesAreEqual() {
        var order = DecodeOrder(interval: Self.interval)
        for presentation: Int64 in [-7, 0, 1, 50, 51, 90_000] {
            let times = order.times(presentation: presentation)
            #expect(times.decode == presentation && times.presentation == presentation)
        }
    }

    /// A stream that reorders although it does not say so.
    @Test func theDepthGrowsWithTheStream() {
        var order = DecodeOrder(interval: Self.interval)
        var (times, presentations): ([DecodeOrder.Times], [Int64]) = ([], [])
        for group in 0..<20 {
            for frame in [3, 1, 2] {
                presentations.append(Int64(group * 3 + frame) * Self.interval)
                times.append(order.times(presentation: presentations[presentations.count - 1]))
            }
        }
        #expect(order.depth == 1)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0.decode < $1.decode })
        #expect(times.allSatisfy { $0.decode <= $0.presentation })
        #expect(times.dropFirst(6).map(\.presentation) == Array(presentations.dropFirst(6)))
    }

    /// Whatever the times are, decode times rise and come before presentation.
    @Test func decodeTimesRiseForAnyInput() {
        var random = SplitMix64(seed: 7)
        for depth in 0...16 {
            var order = DecodeOrder(depth: depth, interval: 1)
            var last = Int64.min
            for _ in 0..<1_000 {
                let times = order.times(presentation: Int64.random(in: -50...50, using: &random))
                #expect(times.decode > last && times.decode <= times.presentation)
                last = times.decode
            }
        }
    }
}
