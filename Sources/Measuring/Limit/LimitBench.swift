import Glibc
import Media
import Reactor
import Synchronization

/// Measures what this kernel needs to send access units to many viewers, without a server. The result is the reference for
/// the cost of servers.
///
/// One thread, pinned to one processor, sends; the threads on the other processors receive.
public final class LimitBench {
    private let plan: LimitPlan
    private let tally = DrainTally()

    /// Measures the four sending methods in turns; blocks the calling thread for about four times `plan.seconds`.
    public static func run(_ plan: LimitPlan) throws(LimitFailure) -> MeasuredLimit {
        try LimitDescriptors.check(for: plan)
        let answer = Answer()
        do throws(SystemError) {
            // A separate thread, because the caller's thread must not be pinned.
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
    /// A sending method, and whether its GSO batches arrive unsegmented (GRO).
    private struct SendingMethod {
        let sender: any UnitSender
        var usesGRO = false
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
        let gsoBatches = GSOBatchSender(plan, routes)
        var methods = [
            SendingMethod(sender: gsoBatches, usesGRO: true), SendingMethod(sender: gsoBatches),
            SendingMethod(sender: DatagramSender(plan, routes)), SendingMethod(sender: connections),
        ]
        try measureInTurns(&methods, receivers)
        return MeasuredLimit(
            plan, gsoWithGRO: methods[0].rounds, gso: methods[1].rounds, datagrams: methods[2].rounds,
            connections: methods[3].rounds)
    }

    /// Runs all rounds of all methods.
    private func measureInTurns(
        _ methods: inout [SendingMethod], _ receivers: [DatagramReceiver]
    ) throws(SystemError) {
        for _ in 0..<plan.rounds {
            for index in methods.indices {
                for receiver in receivers { try receiver.enableGRO(methods[index].usesGRO) }
                var turn = LimitTurn(plan, tally)
                methods[index].rounds.append(turn.run(methods[index].sender))
            }
        }
    }
}
