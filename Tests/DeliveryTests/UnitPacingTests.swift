import Media
import Testing

@testable import Delivery

@Suite struct UnitPacingTests {
    private static func broadcast(percent: Int) -> Broadcast {
        var options = DeliveryLoop.Options()
        options.pacing.share = Double(percent) / 100
        return Broadcast(options: options)
    }

    /// How many packets of a frame of 100 000 bytes arrive, by milliseconds after the frame, at 25 frames/s.
    private static func arrivals(percent: Int, usesGSO: Bool = true) throws -> [Int] {
        let broadcast = broadcast(percent: percent)
        var client = try UDPClient(usesGSO: usesGSO)
        broadcast.publish(idr: true, byteCount: 2_000)
        #expect(broadcast.start(client.viewer))
        // The pacing of the join is over.
        for _ in 0..<10 { broadcast.turn(after: 20) }
        broadcast.publish(byteCount: 2_000)
        broadcast.turn()
        _ = client.packets()
        broadcast.publish(idr: true, byteCount: 100_000)
        return (0..<20).map { step in
            broadcast.turn(after: step == 0 ? 0 : 2)
            return client.packets().count
        }
    }

    @Test func withoutPacingAFrameIsSentAtOnce() throws {
        let arrivals = try Self.arrivals(percent: 0)
        #expect(arrivals[0] >= 72)
        #expect(arrivals.dropFirst().allSatisfy { $0 == 0 })
    }

    @Test(arguments: [true, false])
    func aLargeFrameIsSpreadOverItsShareOfTheInterval(usesGSO: Bool) throws {
        let arrivals = try Self.arrivals(percent: 50, usesGSO: usesGSO)
        let total = arrivals.reduce(0, +)
        #expect(total >= 72)
        // Half of 40 ms, in steps of 2 ms: a tenth of the packets each, and two tenths at first.
        #expect(arrivals.max().map { $0 <= total / 5 + 2 } == true, "\(arrivals)")
        #expect(arrivals.prefix(8).reduce(0, +) < total)
        #expect(arrivals.prefix(11).reduce(0, +) == total, "\(arrivals)")
    }

    @Test func aSmallFrameIsSentAtOnceAndNothingIsOutOfOrder() throws {
        let broadcast = Self.broadcast(percent: 80)
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 2_000)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<10 { broadcast.turn(after: 20) }
        _ = client.packets()
        broadcast.publish(byteCount: 20_000)
        broadcast.turn()
        #expect(client.packets().count >= 15)
        // The next frame comes while a large one is being sent.
        broadcast.publish(idr: true, byteCount: 200_000)
        for _ in 0..<5 { broadcast.turn(after: 2) }
        broadcast.publish(byteCount: 3_000)
        var packets = client.packets()
        for _ in 0..<30 {
            broadcast.turn(after: 2)
            packets += client.packets()
        }
        let numbers = packets.map(\.header.sequenceNumber.rawValue)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        #expect(packets.count { $0.header.isMarked } == 2)
        #expect(client.viewer.droppedUnits == 0)
    }

    @Test func noUnitTakesLongerThanATenthOfASecond() throws {
        var pacing = UnitPacing()
        pacing.share = 0.9
        for interval in [Int64.min, -1, 0, 1, 33_333_333, 100_000_000, .max] {
            let limits = try #require(pacing.limits(byteCount: 1_000_000, interval: interval, step: 2_000_000))
            #expect(limits.rate >= 1_000_000 * 10)
            #expect(limits.rate <= 1_000_000 * 500)
            #expect(limits.burst > 0)
        }
        #expect(pacing.limits(byteCount: 31_999, interval: 33_333_333, step: 2_000_000) == nil)
    }
}
