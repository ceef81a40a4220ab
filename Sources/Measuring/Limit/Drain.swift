import Media
import Reactor
import Synchronization

/// A thread that receives for many viewers as cheaply as possible: it reads and discards everything.
actor Drain: EventLoopHandler {
    private let loop: EventLoop
    private let receivers: [any Receiver]
    private let tally: DrainTally
    private var buffers = DrainBuffers()
    private var count = ReceivedCount()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Starts a drain, which ends when the returned loop is stopped.
    static func start(
        _ receivers: [any Receiver], on processor: Int?, _ tally: DrainTally
    ) throws(SystemError) -> EventLoop {
        let loop = try EventLoop(name: "drain", processor: processor)
        for (index, receiver) in receivers.enumerated() {
            try loop.add(receiver.fd, .read, token: Token(rawValue: UInt64(index)))
        }
        try loop.start(Drain(loop: loop, receivers: receivers, tally: tally))
        return loop
    }

    private init(loop: EventLoop, receivers: [any Receiver], tally: DrainTally) {
        self.loop = loop
        self.receivers = receivers
        self.tally = tally
    }

    nonisolated func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        assumeIsolated { $0.isolatedTurn(events) }
        return .distantFuture
    }

    private func isolatedTurn(_ events: Events) {
        let before = count
        for event in events { receivers[Int(event.token.rawValue)].read(into: &buffers, &count) }
        count.processorNanoseconds = ProcessorClock.threadNanoseconds()
        tally.add(count - before)
    }
}

/// The sum of what all drains have received. Thread-safe.
final class DrainTally: Sendable {
    private let bytes = Atomic<UInt64>(0)
    private let processorNanoseconds = Atomic<Int64>(0)

    fileprivate func add(_ count: ReceivedCount) {
        processorNanoseconds.add(count.processorNanoseconds, ordering: .relaxed)
        bytes.add(count.bytes, ordering: .releasing)
    }

    /// The bytes and processor time so far.
    var count: ReceivedCount {
        ReceivedCount(
            bytes: bytes.load(ordering: .acquiring),
            processorNanoseconds: processorNanoseconds.load(ordering: .relaxed))
    }
}
