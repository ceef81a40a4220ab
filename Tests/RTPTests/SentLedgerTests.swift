import Media
import RTP
import TestSupport
import Testing

@Suite struct SentLedgerTests {
    private let now = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test func everyPacketOfTheLastRunsIsFound() {
        var ledger = SentLedger()
        var number = SequenceNumber(65_000)
        var sent: [(SequenceNumber, SentLedger.RunPlace, Int)] = []
        // Some runs are skipped, and the first are of a fast start. Their packets go in two messages.
        for run in 0..<40 {
            let place: SentLedger.RunPlace = run < 5 ? .fastStart(run) : .feed(Int64(run) * 3 + 1 << 40)
            for range in [0..<20, 20..<23] {
                ledger.record(
                    number, count: range.count, of: place, from: range.lowerBound,
                    at: now.advanced(byMilliseconds: Int64(run)))
                for index in range { sent.append((number.advanced(by: index - range.lowerBound), place, index)) }
                number = number.advanced(by: range.count)
            }
        }
        for (number, place, index) in sent {
            let packet = ledger.packet(number, endIndex: 125 + 1 << 40, at: now.advanced(byMilliseconds: 100))
            #expect(packet?.run == place && packet?.index == index)
        }
        #expect(ledger.packet(number, endIndex: 125 + 1 << 40, at: now) == nil)
        #expect(ledger.packet(SequenceNumber(64_999), endIndex: 125 + 1 << 40, at: now) == nil)
    }

    @Test func theTimeOfTheFirstTransmissionIsKnownToTheMillisecond() {
        var ledger = SentLedger()
        // The milliseconds have just wrapped in 32 bits.
        let sentAt = MonotonicTime(nanoseconds: (1 << 32 - 2) * 1_000_000 + 999_999)
        ledger.record(SequenceNumber(1), count: 1, of: .feed(0), from: 0, at: sentAt)
        let packet = ledger.packet(SequenceNumber(1), endIndex: 1, at: sentAt.advanced(byMilliseconds: 500))
        #expect(packet.map { sentAt - $0.sentAt } == 999_999)
    }

    @Test func theOldestRunsAreForgotten() {
        var ledger = SentLedger()
        for run in 0..<100 {
            ledger.record(SequenceNumber(UInt16(run)), count: 1, of: .feed(Int64(run)), from: 0, at: now)
        }
        let found = (0..<100).filter { ledger.packet(SequenceNumber(UInt16($0)), endIndex: 100, at: now) != nil }
        #expect(found == Array(36..<100))
    }

    @Test func packetsThatTheKernelDidNotTakeAreForgotten() {
        var ledger = SentLedger()
        ledger.record(SequenceNumber(10), count: 5, of: .feed(1), from: 0, at: now)
        ledger.record(SequenceNumber(15), count: 5, of: .feed(2), from: 0, at: now)
        ledger.rollBack(7)
        let found = (10..<20).filter { ledger.packet(SequenceNumber($0), endIndex: 3, at: now) != nil }
        #expect(found == [10, 11, 12])
        // They are sent again under the same numbers.
        ledger.record(SequenceNumber(13), count: 2, of: .feed(1), from: 3, at: now.advanced(byMilliseconds: 5))
        #expect(ledger.packet(SequenceNumber(14), endIndex: 3, at: now)?.index == 4)
        ledger.rollBack(100)
        #expect(ledger.packet(SequenceNumber(10), endIndex: 3, at: now) == nil)
    }

    /// Whatever is recorded and taken back, a packet is found under its number alone, or not at all.
    @Test func aNumberNeverFindsAnotherPacket() {
        var generator = SplitMix64(seed: 7)
        var ledger = SentLedger()
        var sent: [(number: SequenceNumber, run: Int64, index: Int)] = []
        var number = SequenceNumber(65_500)
        var (run, index): (Int64, Int) = (0, 0)
        for _ in 0..<5_000 {
            if Int.random(in: 0..<10, using: &generator) == 0, !sent.isEmpty {
                let count = Int.random(in: 1...min(30, sent.count), using: &generator)
                ledger.rollBack(count)
                (number, run, index) = sent[sent.count - count]
                sent.removeLast(count)
            } else {
                let count = Int.random(in: 1...64, using: &generator)
                ledger.record(number, count: count, of: .feed(run), from: index, at: now)
                for step in 0..<count { sent.append((number.advanced(by: step), run, index + step)) }
                number = number.advanced(by: count)
                index += count
                if Bool.random(using: &generator) {
                    (run, index) = (run + Int64.random(in: 1...9, using: &generator), 0)
                }
            }
            guard let asked = sent.suffix(3_000).randomElement(using: &generator) else { continue }
            guard let packet = ledger.packet(asked.number, endIndex: run + 1, at: now) else { continue }
            #expect(packet.run == .feed(asked.run) && packet.index == asked.index)
        }
    }
}

@Suite struct RetransmissionBudgetTests {
    @Test func aQuarterOfTheRateMayBeSentAgain() {
        var budget = RetransmissionBudget()
        var sent: Int64 = 0
        // A client asks for all packets of a stream of 250 kB/s, for ten seconds.
        for millisecond in 0..<10_000 {
            let now = MonotonicTime(nanoseconds: Int64(millisecond) * 1_000_000)
            while budget.take(1_400, ofStreamAt: 250_000, at: now) { sent += 1_400 }
        }
        let burst: Int64 = 64 * 1_452
        #expect((625_000...(625_000 + burst + 1_400)).contains(sent))
    }

    @Test(arguments: [Int64.min / 2, -1, 0, Int64.max / 2])
    func noInputOverflows(rate: Int64) {
        var budget = RetransmissionBudget(limits: .init(percent: 100, burstPackets: 1_000))
        for nanoseconds in [0, Int64.max / 2, 0, Int64.max / 2] {
            _ = budget.take(1_400, ofStreamAt: rate, at: MonotonicTime(nanoseconds: nanoseconds))
        }
    }
}
