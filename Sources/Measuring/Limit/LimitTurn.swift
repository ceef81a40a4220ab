import Media
import Reactor

/// One turn of one sending method. Confined to the sending thread.
///
/// The sender waits for slow receivers: packets that a full buffer drops cost less than delivered packets, and would falsify
/// the result.
struct LimitTurn {
    private let plan: LimitPlan
    private let tally: DrainTally
    private let before: ReceivedCount
    private let start = MonotonicTime.now()
    private var round = SendingRound()
    private var unit = 0
    /// Bytes that are considered lost.
    private var lostBytes: UInt64 = 0

    /// Maximum bytes in flight to one viewer: half of a new connection's window.
    private static let viewerWindow = 32_768
    /// Maximum bytes in flight to all viewers: about the size of a processor's cache.
    private static let window = 16 << 20
    /// If receivers receive nothing for this long, in nanoseconds, the bytes in flight are considered lost.
    private static let receiveTimeout: Int64 = 500_000_000

    init(_ plan: LimitPlan, _ tally: DrainTally) {
        self.plan = plan
        self.tally = tally
        before = tally.count
    }

    /// Sends units until the turn's time is over, and waits for the last byte.
    mutating func run(_ sender: any UnitSender) -> SendingRound {
        let end = start + Int64(plan.seconds / Double(plan.rounds) * 1e9)
        while nextInstant() < end {
            let began = ProcessorClock.threadNanoseconds()
            round.sent += sender.send(packets: plan.packets(inUnit: unit))
            round.processorNanoseconds += ProcessorClock.threadNanoseconds() - began
            unit += 1
        }
        round.nanoseconds = max(end, waitForReceivers(leaving: 0)) - start
        round.received = tally.count - before
        return round
    }

    /// Waits until the next unit may be sent, and returns the time.
    private mutating func nextInstant() -> MonotonicTime {
        if plan.isPaced { (start + Int64(Double(unit) * plan.unitNanoseconds)).wait() }
        let unitBytes = plan.mostPackets * plan.packetByteCount
        let units = max(1, min(Self.viewerWindow / unitBytes, Self.window / unitBytes / plan.viewers))
        _ = waitForReceivers(leaving: UInt64(units * unitBytes * plan.viewers))
        return .now()
    }

    /// Waits until at most `byteCount` bytes are in flight; returns when the receivers last received something.
    private mutating func waitForReceivers(leaving byteCount: UInt64) -> MonotonicTime {
        var (inFlight, progress) = (bytesInFlight, MonotonicTime.now())
        while inFlight > byteCount {
            (MonotonicTime.now() + 100_000).wait()
            let rest = bytesInFlight
            if rest < inFlight {
                (inFlight, progress) = (rest, .now())
            } else if MonotonicTime.now() - progress > Self.receiveTimeout {
                lostBytes += rest
                break
            }
        }
        return progress
    }

    private var bytesInFlight: UInt64 {
        let gone = (tally.count - before).bytes + lostBytes
        return round.sent.bytes > gone ? round.sent.bytes - gone : 0
    }
}
