import Media
import Reactor

/// One turn of one way of sending, under way. Confined to the sending thread.
///
/// Receivers are never let far behind: what a full buffer drops is cheaper than what is delivered, and would flatter.
struct LimitTurn {
    private let plan: LimitPlan
    private let tally: DrainTally
    private let before: ReceivedCount
    private let start = MonotonicTime.now()
    private var round = SendingRound()
    private var unit = 0
    /// Given up for lost.
    private var lostBytes: UInt64 = 0

    /// What may be on its way, in bytes, of one viewer: half of a new connection's window.
    private static let viewerWindow = 32_768
    /// And of all: about what a processor's cache holds.
    private static let window = 16 << 20
    /// Receivers that receive nothing for so long will not receive the rest, in nanoseconds.
    private static let patience: Int64 = 500_000_000

    init(_ plan: LimitPlan, _ tally: DrainTally) {
        self.plan = plan
        self.tally = tally
        before = tally.count
    }

    /// Sends units until the turn's time is over, and waits for the last byte.
    mutating func run(_ way: any UnitSender) -> SendingRound {
        let end = start + Int64(plan.seconds / Double(plan.rounds) * 1e9)
        while nextInstant() < end {
            let began = ProcessorClock.threadNanoseconds()
            round.sent += way.send(packets: plan.packets(inUnit: unit))
            round.processorNanoseconds += ProcessorClock.threadNanoseconds() - began
            unit += 1
        }
        round.nanoseconds = max(end, waitForReceivers(leaving: 0)) - start
        round.received = tally.count - before
        return round
    }

    /// Waits until the next unit may leave; answers when that is.
    private mutating func nextInstant() -> MonotonicTime {
        if plan.isPaced { (start + Int64(Double(unit) * plan.unitNanoseconds)).wait() }
        let unitBytes = plan.mostPackets * plan.packetByteCount
        let units = max(1, min(Self.viewerWindow / unitBytes, Self.window / unitBytes / plan.viewers))
        _ = waitForReceivers(leaving: UInt64(units * unitBytes * plan.viewers))
        return .now()
    }

    /// Waits until no more than so many bytes are on their way; answers when the receivers last received.
    private mutating func waitForReceivers(leaving byteCount: UInt64) -> MonotonicTime {
        var (onTheirWay, progress) = (bytesOnTheirWay, MonotonicTime.now())
        while onTheirWay > byteCount {
            (MonotonicTime.now() + 100_000).wait()
            let rest = bytesOnTheirWay
            if rest < onTheirWay {
                (onTheirWay, progress) = (rest, .now())
            } else if MonotonicTime.now() - progress > Self.patience {
                lostBytes += rest
                break
            }
        }
        return progress
    }

    private var bytesOnTheirWay: UInt64 {
        let gone = (tally.count - before).bytes + lostBytes
        return round.sent.bytes > gone ? round.sent.bytes - gone : 0
    }
}
