import CLinux
import Media
import Testing

@testable import Reactor

struct WorkThreadTests {
    @Test func workRunsInOrderOnOneThread() throws {
        let thread = try WorkThread(name: "test")
        let ran = Mailbox<(Int, UInt64)>()
        for number in 0..<100 { thread.run { ran.put((number, clinux_this_thread())) } }
        let all = (0..<100).compactMap { _ in ran.take() }
        #expect(all.map(\.0) == Array(0..<100))
        #expect(Set(all.map(\.1)).count == 1 && all.first?.1 != clinux_this_thread())
    }

    @Test func workThatSubmitsMoreWorkIsFollowedByIt() throws {
        let thread = try WorkThread(name: "test")
        let ran = Mailbox<Int>()
        thread.run {
            ran.put(1)
            thread.run { ran.put(2) }
        }
        #expect(ran.take() == 1)
        #expect(ran.take() == 2)
    }

    @Test func workForAnInstantRunsThenAndTheEarliestRunsFirst() throws {
        let thread = try WorkThread(name: "test")
        let ran = Mailbox<(String, MonotonicTime)>()
        let start = MonotonicTime.now()
        thread.run(at: start.advanced(byMilliseconds: 40)) { ran.put(("late", .now())) }
        thread.run(at: start.advanced(byMilliseconds: 20)) { ran.put(("early", .now())) }
        let all = (0..<2).compactMap { _ in ran.take() }
        #expect(all.map(\.0) == ["early", "late"])
        #expect(try #require(all.first).1 >= start.advanced(byMilliseconds: 20))
        #expect(try #require(all.last).1 >= start.advanced(byMilliseconds: 40))
    }

    @Test func aTaskThatPrefersTheThreadRunsThereEntirely() async throws {
        let thread = try WorkThread(name: "test")
        let loop = try EventLoop(name: "other")
        try loop.start(ClosureHandler { _, _, _ in .distantFuture })
        let numbers = await Task(executorPreference: thread) {
            let before = clinux_this_thread()
            await loop.turned()
            return (before, clinux_this_thread())
        }.value
        let own = Mailbox<UInt64>()
        thread.run { own.put(clinux_this_thread()) }
        let number = try #require(own.take())
        #expect(numbers.0 == number && numbers.1 == number)
        loop.finish()
    }

    @Test func theThreadEndsWithItsOwner() throws {
        final class LifetimeObserver: Sendable {
            let gone: Mailbox<Bool>
            init(_ gone: Mailbox<Bool>) { self.gone = gone }
            deinit { gone.put(true) }
        }
        let gone = Mailbox<Bool>()
        var thread: WorkThread? = try WorkThread(name: "test")
        do {
            let observer = LifetimeObserver(gone)
            thread?.run(at: .distantFuture) { _ = observer }
        }
        #expect(gone.isEmpty)
        thread = nil
        #expect(gone.take() == true, "the thread has released its work")
    }
}
