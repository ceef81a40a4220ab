import TestSupport
import Testing

@testable import Impairment

/// A packet that came out of a link.
private struct Passed {
    let number: Int
    let arrived: Int64
    let due: Int64
    let byteCount: Int
}

/// Sends packets of random sizes at random intervals through a link.
private struct Traffic {
    var passed: [Passed] = []
    var fates: [PacketFate] = []
    var statistics = LinkStatistics()

    init(_ text: String, seed: UInt64 = 1, count: Int = 20_000, meanIntervalNanoseconds mean: Int64 = 200_000) throws {
        var link = Link<(number: Int, arrived: Int64, byteCount: Int)>(
            try Timetable(text), seed: seed, direction: .down)
        var random = SplitMix64(seed: seed)
        var now: Int64 = 0
        for number in 0..<count {
            now += Int64.random(in: 0...2 * mean, using: &random)
            let byteCount = Int.random(in: 40...1500, using: &random)
            take(until: now, from: &link)
            fates.append(link.receive((number, now, byteCount), byteCount: byteCount, at: now))
        }
        take(until: .max, from: &link)
        statistics = link.statistics
    }

    private mutating func take(until time: Int64, from link: inout Link<(number: Int, arrived: Int64, byteCount: Int)>)
    {
        while let (packet, due) = link.release(at: time) {
            passed.append(
                Passed(number: packet.number, arrived: packet.arrived, due: due, byteCount: packet.byteCount))
        }
    }
}

@Suite struct LinkTests {
    static let inOrder = [
        "", "delay 40ms", "delay 40ms jitter 40ms", "rate 4mbit queue 20ms",
        "loss 5% delay 20ms jitter 10ms rate 10mbit",
        "delay 50ms jitter 20ms at 1s delay 5ms jitter 0ms at 2s delay 100ms rate 1mbit at 3s rate 50mbit",
    ]

    @Test(arguments: inOrder) func packetsStayInOrder(text: String) throws {
        let passed = try Traffic(text).passed
        #expect(zip(passed, passed.dropFirst()).allSatisfy { $0.number < $1.number && $0.due <= $1.due })
        #expect(passed.allSatisfy { $0.due >= $0.arrived })
    }

    @Test func everyPacketHasOneFate() throws {
        let traffic = try Traffic("loss 5% reorder 2% rate 10mbit queue 10ms at 1s down at 1.5s up")
        let statistics = traffic.statistics
        #expect(statistics.packets == 20_000)
        #expect(
            statistics.lost + statistics.interrupted + statistics.droppedByQueue + statistics.delivered == 20_000)
        for (fate, count) in [
            (PacketFate.lost, statistics.lost), (.interrupted, statistics.interrupted),
            (.queueFull, statistics.droppedByQueue), (.accepted, statistics.delivered),
        ] {
            #expect(count > 0)
            #expect(traffic.fates.count { $0 == fate } == count)
        }
        #expect(traffic.passed.count == statistics.delivered)
    }

    @Test func lossesDependOnSeedAndNumberAlone() throws {
        func lost(_ text: String, seed: UInt64, interval: Int64) throws -> [Int] {
            let fates = try Traffic(text, seed: seed, meanIntervalNanoseconds: interval).fates
            return fates.indices.filter { fates[$0] == .lost }
        }
        let first = try lost("loss gilbert-elliott 1% 20%", seed: 5, interval: 1_000)
        let slower = try lost(
            "loss gilbert-elliott 1% 20% delay 40ms jitter 9ms reorder 3% rate 1mbit at 1s down", seed: 5,
            interval: 300_000)
        #expect(first == slower)
        #expect(try lost("loss gilbert-elliott 1% 20%", seed: 6, interval: 1_000) != first)
    }

    @Test(arguments: [("rate 4mbit queue 50ms", 25_000), ("rate 4mbit queue 64kB", 64_000)])
    func theQueueKeepsToItsDepth(text: String, depth: Int) throws {
        let statistics = try Traffic(text).statistics
        #expect(statistics.droppedByQueue > 0)
        #expect((depth - 1_500...depth).contains(statistics.largestQueueBytes))
        #expect(statistics.longestQueueMilliseconds <= Double(depth) * 8 / 4_000)
    }

    @Test func aShallowQueueStillPassesPackets() throws {
        let traffic = try Traffic("rate 1mbit queue 1b")
        #expect(traffic.statistics.largestQueueBytes <= 1_500)
        #expect(traffic.passed.count > 100)
    }

    @Test(arguments: [("rate 4mbit queue 100ms", 4e6), ("rate 30mbit queue 64kB at 1s down at 2s up", 30e6)])
    func theRateIsNeverExceeded(text: String, rate: Double) throws {
        let passed = try Traffic(text, count: 10_000).passed
        // A packet is due when its last bit has been sent: since the packet before it, at least its own bits fit into the rate.
        var (excess, worst, last) = (0.0, 0.0, Int64(0))
        for packet in passed {
            excess = max(0, excess + Double(packet.byteCount) * 8 - rate * Double(packet.due - last) / 1e9)
            worst = max(worst, excess)
            last = packet.due
        }
        #expect(worst < 1)
    }

    @Test func theRateIsReached() throws {
        let passed = try Traffic("rate 4mbit").passed
        let bits = passed.dropFirst().reduce(0) { $0 + $1.byteCount * 8 }
        let duration = Double(passed[passed.count - 1].due - passed[0].due) / 1e9
        #expect(abs(Double(bits) / duration - 4e6) < 0.001 * 4e6)
    }

    @Test func aRateChangesInTheMiddleOfAPacket() throws {
        var link = Link<Int>(try Timetable("rate 1mbit at 1ms rate 2mbit"), seed: 1, direction: .up)
        // 250 bytes: 1 000 bits in the first millisecond, and 1 000 bits at twice the rate.
        link.receive(0, byteCount: 250, at: 0)
        #expect(link.nextDue == 1_500_000)
    }

    @Test func theMeanDelayIsKeptWithJitter() throws {
        for interval: Int64 in [20_000, 500_000] {
            let passed = try Traffic(
                "delay 4ms jitter 2ms", count: Int(4_000_000_000 / interval), meanIntervalNanoseconds: interval
            ).passed
            let delays = passed.map { Double($0.due - $0.arrived) / 1e6 }
            let mean = delays.reduce(0, +) / Double(delays.count)
            #expect(abs(mean - 4) < 0.05 * 4)
            #expect(delays.allSatisfy { (2...6).contains($0) })
            #expect(delays.contains { $0 < 2.4 } && delays.contains { $0 > 5.6 })
        }
    }

    @Test func heldPacketsAreOvertakenByTheOthersAlone() throws {
        let traffic = try Traffic("delay 10ms reorder 2% by 3ms")
        let reordered = Double(traffic.statistics.reordered)
        #expect(abs(reordered - 400) < 0.1 * 400)
        let held = traffic.passed.filter { $0.due - $0.arrived == 13_000_000 }
        #expect(Double(held.count) == reordered)
        let others = traffic.passed.filter { $0.due - $0.arrived == 10_000_000 }
        #expect(held.count + others.count == 20_000)
        #expect(zip(others, others.dropFirst()).allSatisfy { $0.number < $1.number })
    }

    @Test func aLinkThatIsDownDropsEverything() throws {
        let traffic = try Traffic("at 1s down at 2s up")
        #expect(traffic.passed.allSatisfy { $0.arrived < 1_000_000_000 || $0.arrived >= 2_000_000_000 })
        #expect(traffic.statistics.interrupted > 4_000)
        #expect(traffic.passed.last?.number == 19_999)
    }
}
