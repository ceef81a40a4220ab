import Media
import RTP
import TestSupport
import Testing

@Suite struct TransportArrivalsTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test func arrivalsAreToldAfterAnInterval() {
        var arrivals = TransportArrivals()
        #expect(arrivals.nextDeadline == .distantFuture && arrivals.takeFeedback(at: start) == nil)
        arrivals.received(SequenceNumber(65_535), at: start)
        arrivals.received(SequenceNumber(1), at: start.advanced(byMilliseconds: 2))
        #expect(arrivals.nextDeadline == start.advanced(byMilliseconds: 100))
        #expect(arrivals.takeFeedback(at: start.advanced(byMilliseconds: 99)) == nil)
        let first = arrivals.takeFeedback(at: start.advanced(byMilliseconds: 100))
        #expect(
            first
                == TransportFeedback(
                    base: SequenceNumber(65_535), arrivals: [1_000_000_000, nil, 1_002_000_000], count: 0))
        #expect(arrivals.nextDeadline == .distantFuture)
        // Packet 2 is lost, and 0 comes too late to be told.
        arrivals.received(SequenceNumber(0), at: start.advanced(byMilliseconds: 101))
        arrivals.received(SequenceNumber(3), at: start.advanced(byMilliseconds: 102))
        let second = arrivals.takeFeedback(at: start.advanced(byMilliseconds: 202))
        #expect(second == TransportFeedback(base: SequenceNumber(2), arrivals: [nil, 1_102_000_000], count: 1))
    }

    @Test func theFirstArrivalOfADuplicateCounts() {
        var arrivals = TransportArrivals()
        arrivals.received(SequenceNumber(5), at: start)
        arrivals.received(SequenceNumber(5), at: start + 1)
        #expect(arrivals.takeFeedback(at: start.advanced(byMilliseconds: 100))?.arrivals == [1_000_000_000])
    }

    /// Any numbers need bounded memory, and no packet is told twice.
    @Test func noPacketIsToldTwice() {
        var generator = SplitMix64(seed: 5)
        var arrivals = TransportArrivals()
        var told: [SequenceNumber: Int] = [:]
        var (number, time) = (SequenceNumber(60_000), start)
        for step in 0..<20_000 {
            number = number.advanced(by: .random(in: -3...5, using: &generator))
            time = time + .random(in: 0...1_000_000, using: &generator)
            if step % 5_000 == 4_999 { number = number.advanced(by: 3_000) }
            arrivals.received(number, at: time)
            guard let feedback = arrivals.takeFeedback(at: time) else { continue }
            #expect(feedback.arrivals.count <= 512)
            for (index, arrival) in feedback.arrivals.enumerated() where arrival != nil {
                let number = feedback.base.advanced(by: index)
                #expect(step - (told[number] ?? .min / 2) > 10_000)
                told[number] = step
            }
        }
        #expect(told.count > 5_000)
    }
}
