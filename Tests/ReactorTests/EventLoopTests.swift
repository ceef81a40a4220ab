import CLinux
import Glibc
import Media
import Synchronization
import TestSupport
import Testing

@testable import Reactor

/// An actor that counts and is confined to an event loop.
private actor Counter: EventLoopHandler {
    private let loop: EventLoop
    private(set) var turns = 0
    private(set) var value = 0
    let entered = Mailbox<Int>()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: EventLoop) {
        self.loop = loop
    }

    nonisolated func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        assumeIsolated { $0.takeTurn(events, wasWoken) }
    }

    private func takeTurn(_ events: Events, _ wasWoken: Bool) -> MonotonicTime {
        turns += 1
        if wasWoken { entered.put(turns) }
        return .distantFuture
    }

    /// Increments the count; returns whether that ran on the loop's thread.
    func increment() -> Bool {
        value += 1
        return loop.isCurrent
    }

    /// Suspends by awaiting another actor and continues on the loop.
    func incrementAcross(_ other: Counter) async -> Bool {
        guard loop.isCurrent else { return false }
        let ranThere = await other.increment()
        value += 1
        return loop.isCurrent && ranThere
    }
}

@Suite struct EventLoopTests {
    @Test func aTurnEntersItsActorWithoutAHop() throws {
        let loop = try EventLoop(name: "test")
        let counter = Counter(on: loop)
        try loop.start(counter)
        defer { loop.finish() }
        loop.wake()
        #expect(counter.entered.take() != nil)
        #expect(!loop.isCurrent)
    }

    @Test func anAwaitedActorRunsOnItsLoopsThread() async throws {
        let loop = try EventLoop(name: "test")
        let counter = Counter(on: loop)
        try loop.start(counter)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { await counter.increment() } }
            for await ranOnLoop in group { #expect(ranOnLoop) }
        }
        #expect(await counter.value == 200)
        loop.finish()
    }

    @Test func actorsOfTwoLoopsAwaitEachOther() async throws {
        let loops = [try EventLoop(name: "one"), try EventLoop(name: "two")]
        let counters = loops.map { Counter(on: $0) }
        for (loop, counter) in zip(loops, counters) { try loop.start(counter) }
        for _ in 0..<50 {
            #expect(await counters[0].incrementAcross(counters[1]))
            #expect(await counters[1].incrementAcross(counters[0]))
        }
        #expect(await counters[0].value == 100)
        for loop in loops { loop.finish() }
    }

    @Test func theLoopIsIsolatedOnItsOwnThreadOnly() throws {
        let loop = try EventLoop(name: "test")
        let answers = Mailbox<Bool?>()
        let handler = ClosureHandler { [unowned loop] _, _, _ in
            loop.checkIsolated()
            answers.put(loop.isIsolatingCurrentContext())
            return .distantFuture
        }
        try loop.start(handler)
        #expect(answers.take() == true)
        #expect(loop.isIsolatingCurrentContext() == false)
        loop.finish()
        #expect(loop.isIsolatingCurrentContext() == false)
    }

    @Test func severalWakesDuringATurnCauseOneMoreTurn() throws {
        let loop = try EventLoop(name: "test")
        let inTurn = Mailbox<Int>()
        let goOn = Mailbox<Void>()
        let turns = Count()
        let woken = Count()
        let handler = ClosureHandler { _, wasWoken, _ in
            if wasWoken { woken.add() }
            inTurn.put(turns.add())
            _ = goOn.take()
            return .distantFuture
        }
        try loop.start(handler)
        #expect(inTurn.take() == 1)
        for _ in 0..<1_000 { loop.wake() }
        goOn.put(())
        #expect(inTurn.take() == 2)
        loop.stop()
        goOn.put(())
        loop.join()
        #expect(woken.value == 1)
        #expect(turns.value == 2)
    }

    @Test func noWakeIsLost() throws {
        let loop = try EventLoop(name: "test")
        let seen = Mailbox<Bool>()
        let handler = ClosureHandler { _, wasWoken, _ in
            if wasWoken { seen.put(true) }
            return .distantFuture
        }
        try loop.start(handler)
        for round in 0..<5_000 {
            loop.wake()
            #expect(seen.take() == true, "in round \(round)")
        }
        loop.finish()
    }

    @Test func aDeadlineIsNeverEarlyAndNeedsNoEvent() throws {
        let loop = try EventLoop(name: "test")
        let lateness = Mailbox<Int64>()
        let deadline = Deadline()
        let handler = ClosureHandler { _, _, now in
            if let due = deadline.replace(now.advanced(byMilliseconds: 1)) { lateness.put(now - due) }
            return now.advanced(byMilliseconds: 1)
        }
        try loop.start(handler)
        let samples = (0..<100).compactMap { _ in lateness.take() }.sorted()
        loop.finish()
        try #require(samples.count == 100)
        #expect(samples[0] >= 0)
    }

    @Test func eventsCarryTheirTokens() throws {
        let loop = try EventLoop(name: "test")
        let pair = try connectedPair()
        try loop.add(pair.server.fd, .read, token: Token(rawValue: 42))
        let events = Mailbox<Event>()
        let fd = pair.server.fd
        let handler = ClosureHandler { [unowned loop] batch, _, _ in
            for event in batch {
                events.put(event)
                loop.remove(fd)
            }
            return .distantFuture
        }
        try loop.start(handler)
        #expect(pair.client.write("x") == .wrote(1))
        #expect(events.take() == Event(token: Token(rawValue: 42), readiness: .readable))
        loop.finish()
    }

    @Test func aPeerThatClosesCausesAHangup() throws {
        let loop = try EventLoop(name: "test")
        let pair = try connectedPair()
        try loop.add(pair.server.fd, [.read, .edge], token: Token(rawValue: 1))
        pair.client.endWriting()
        let events = Mailbox<Event>()
        try loop.start(
            ClosureHandler { batch, _, _ in
                for event in batch { events.put(event) }
                return .distantFuture
            })
        #expect(events.take()?.readiness == [.readable, .hangup])
        loop.finish()
    }

    @Test func watchingAClosedDescriptorFails() throws {
        let loop = try EventLoop(name: "test")
        #expect(throws: SystemError(call: "epoll_ctl", code: EBADF)) {
            try loop.add(-1, .read, token: Token(rawValue: 1))
        }
        loop.remove(-1)
    }

    @Test func jobsThatArePendingAtStopStillRun() async throws {
        let loop = try EventLoop(name: "test")
        let counter = Counter(on: loop)
        let tasks = (0..<10).map { _ in Task { await counter.increment() } }
        try loop.start(counter)
        for task in tasks { #expect(await task.value) }
        loop.finish()
        // The loop is already joined, so that join returns at once.
        loop.finish()
    }

    @Test func theHandlerIsReleasedWhenTheThreadEnds() throws {
        let loop = try EventLoop(name: "test")
        weak var released: ClosureHandler?
        do {
            let handler = ClosureHandler { _, _, _ in .distantFuture }
            released = handler
            try loop.start(handler)
        }
        loop.finish()
        #expect(released == nil)
    }

    @Test func turnedReturnsOnlyAfterAStuckLoopTurnsAgain() async throws {
        let loop = try EventLoop(name: "stuck")
        let (isStuck, release, hasTurned) = (Mailbox<Bool>(), Mailbox<Bool>(), Mailbox<Bool>())
        let handler = ClosureHandler { _, wasWoken, _ in
            guard wasWoken else { return .distantFuture }
            isStuck.put(true)
            while release.take() == nil {}
            return .distantFuture
        }
        try loop.start(handler)
        await loop.turned()
        loop.wake()
        #expect(await eventually(within: 20) { !isStuck.isEmpty })
        let asking = Task {
            await loop.turned()
            hasTurned.put(true)
        }
        #expect(await eventually(within: 20) { !loop.jobs.isEmpty })
        #expect(hasTurned.isEmpty)
        release.put(true)
        await asking.value
        #expect(!hasTurned.isEmpty)
        loop.finish()
    }

    @Test func aLoopIsPinnedToItsProcessor() throws {
        let processor = try #require(Processors.usable().last)
        let loop = try EventLoop(name: "pinned", processor: processor)
        let usable = Mailbox<[Int]>()
        // For a pinned thread, sched_getaffinity(0) returns its processor.
        let handler = ClosureHandler { _, _, _ in
            usable.put(Processors.usable())
            return .distantFuture
        }
        try loop.start(handler)
        #expect(usable.take() == [processor])
        loop.finish()
    }
}

/// A count that two threads share.
private final class Count: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    func add() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
}

/// The latest requested deadline.
private final class Deadline: Sendable {
    private let instant = Mutex<MonotonicTime?>(nil)

    func replace(_ next: MonotonicTime) -> MonotonicTime? {
        instant.withLock { current in
            let previous = current
            current = next
            return previous
        }
    }
}
