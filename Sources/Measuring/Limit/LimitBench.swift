import Glibc
import Media
import Reactor
import Synchronization

/// What this kernel takes to send access units to many viewers, without a server: what a server's cost is measured by.
///
/// One thread sends, kept on one processor; the receivers are threads on the others.
public final class LimitBench {
    private let plan: LimitPlan
    private let tally = DrainTally()

    /// Measures all four ways in turns; blocks the calling thread for about four times `plan.seconds`.
    public static func run(_ plan: LimitPlan) throws(LimitFailure) -> MeasuredLimit {
        try LimitDescriptors.check(for: plan)
        let answer = Answer()
        do throws(SystemError) {
            // A thread of its own: the caller's stays where it is.
            let thread = try startThread { answer.report.withLock { $0 = measured(plan) } }
            pthread_join(thread, nil)
        } catch {
            throw LimitDescriptors.failure(error, for: plan)
        }
        guard let report = answer.report.withLock({ $0 }) else {
            preconditionFailure("the thread ends only when the report is made")
        }
        return try report.get()
    }

    private final class Answer: Sendable {
        let report = Mutex<Result<MeasuredLimit, LimitFailure>?>(nil)
    }

    private static func measured(_ plan: LimitPlan) -> Result<MeasuredLimit, LimitFailure> {
        do throws(SystemError) {
            return .success(try LimitBench(plan).measure())
        } catch {
            return .failure(LimitDescriptors.failure(error, for: plan))
        }
    }

    private init(_ plan: LimitPlan) {
        self.plan = plan
    }
}

// MARK: - Senders and receivers

extension LimitBench {
    /// A way of sending, and whether its trains arrive in one piece.
    private struct Way {
        let sender: any UnitSender
        var arrivesWhole = false
        var rounds: [SendingRound] = []
    }

    private func measure() throws(SystemError) -> MeasuredLimit {
        var processors = Processors.usable()
        if processors.count > 1 { Processors.pinThisThread(on: processors.removeFirst()) }
        var receivers: [DatagramReceiver] = []
        for _ in 0..<plan.viewers { receivers.append(try DatagramReceiver()) }
        let routes = try DatagramRoutes(to: receivers.map(\.address), packetByteCount: plan.packetByteCount)
        let (connections, ends) = try ConnectionSender.connect(plan)
        var drains: [EventLoop] = []
        defer {
            for drain in drains { drain.stop() }
            for drain in drains { drain.join() }
        }
        let all: [any Receiver] = receivers + ends
        for (index, processor) in processors.enumerated() {
            let share = stride(from: index, to: all.count, by: processors.count).map { all[$0] }
            drains.append(try Drain.start(share, on: processor, tally))
        }
        let trains = GSOBatchSender(plan, routes)
        var ways = [
            Way(sender: trains, arrivesWhole: true), Way(sender: trains), Way(sender: DatagramSender(plan, routes)),
            Way(sender: connections),
        ]
        try takeTurns(&ways, receivers)
        return MeasuredLimit(
            plan, wholeTrains: ways[0].rounds, cutTrains: ways[1].rounds, datagrams: ways[2].rounds,
            connections: ways[3].rounds)
    }

    /// All rounds of all ways.
    private func takeTurns(_ ways: inout [Way], _ receivers: [DatagramReceiver]) throws(SystemError) {
        for _ in 0..<plan.rounds {
            for index in ways.indices {
                for receiver in receivers { try receiver.setGRO(whole: ways[index].arrivesWhole) }
                var turn = LimitTurn(plan, tally)
                ways[index].rounds.append(turn.run(ways[index].sender))
            }
        }
    }
}
