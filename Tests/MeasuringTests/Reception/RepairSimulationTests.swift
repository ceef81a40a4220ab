import Media
import RTP
import TestSupport
import Testing

@testable import Measuring

/// A receiver that requests lost packets, and a sender that sends them again, back to back over a network that loses packets in both
/// directions, in virtual time.
@Suite struct RepairSimulationTests {
    private struct Network {
        let loss: Double
        /// In milliseconds.
        let delay: Int64
        var random: SplitMix64

        mutating func loses() -> Bool { Double.random(in: 0..<1, using: &random) < loss }
    }

    /// Sends again what is requested, by the rules for Apus.
    private struct Sender {
        private(set) var sent: [MonotonicTime] = []
        private var repeated: [Int: MonotonicTime] = [:]

        mutating func send(at now: MonotonicTime) -> Int {
            sent.append(now)
            return sent.count - 1
        }

        mutating func answers(_ number: Int, roundTrip: Int64, at now: MonotonicTime) -> Bool {
            let rules = RetransmissionRules.apus
            guard now - sent[number] <= rules.patience else { return false }
            let last = repeated[number] ?? MonotonicTime(nanoseconds: 0)
            guard now - last >= rules.repetitionInterval(roundTrip: roundTrip) else { return false }
            repeated[number] = now
            return true
        }
    }

    private static func instant(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    /// 60 s with 500 packets per second. The share that stays lost is at most that of two attempts, of which each needs a request and
    /// an answer that arrive, with some margin for chance.
    @Test(
        arguments: [(0.002, 5), (0.01, 5), (0.01, 40), (0.03, 40), (0.1, 5)] as [(Double, Int64)],
        0..<4 as Range<UInt64>)
    func lossIsCountedBeforeAndAfterRepair(_ path: (loss: Double, roundTrip: Int64), seed: UInt64) {
        var network = Network(loss: path.loss, delay: path.roundTrip / 2, random: SplitMix64(seed: seed))
        var sender = Sender()
        var requests = RetransmissionRequests(
            patience: FrameAssembler.gapTimeout, roundTrip: path.roundTrip * 1_000_000)
        var tracker = LossTracker()
        var toReceiver: [Int64: [Int]] = [:]
        var toSender: [Int64: [Int]] = [:]
        var dropped: UInt64 = 0
        let first = UInt16(truncatingIfNeeded: 60_000)
        for time in 0..<60_200 as Range<Int64> {
            let now = Self.instant(time)
            if time % 2 == 0, time < 60_000 {
                let number = sender.send(at: now)
                // The first and the last packets are kept, because losses before and after them are unknown.
                if number > 0, time < 59_900, network.loses() {
                    dropped += 1
                } else {
                    toReceiver[time + network.delay, default: []].append(number)
                }
            }
            for number in toSender.removeValue(forKey: time) ?? []
            where sender.answers(number, roundTrip: path.roundTrip * 1_000_000, at: now) {
                if !network.loses() { toReceiver[time + network.delay, default: []].append(number) }
            }
            for number in toReceiver.removeValue(forKey: time) ?? [] {
                let wireNumber = SequenceNumber(first).advanced(by: number)
                switch requests.received(wireNumber, at: now) {
                case .original: _ = tracker.received(wireNumber.rawValue)
                case .repair: _ = tracker.receivedRepair(wireNumber.rawValue)
                case .needlessRepair: break
                }
            }
            let lost = requests.takeRequests(at: now).flatMap(\.sequenceNumbers)
            if !lost.isEmpty, !network.loses() {
                // Numbers on the wire wrap; the sender's do not.
                let newest = sender.sent.count - 1
                toSender[time + network.delay, default: []] += lost.map {
                    newest + $0.distance(from: SequenceNumber(first).advanced(by: newest))
                }
            }
        }
        #expect(tracker.lostBeforeRepair == dropped)
        #expect(tracker.packets + tracker.lost == 30_000)
        #expect(tracker.reordered == 0 && tracker.duplicates == 0)
        let failure = 1 - (1 - path.loss) * (1 - path.loss)
        #expect(Double(tracker.lost) <= Double(dropped) * failure * failure * 2 + 2)
    }
}
