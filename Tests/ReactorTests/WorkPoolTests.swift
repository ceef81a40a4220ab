import Dispatch
import Media
import Reactor
import Synchronization
import Testing

/// Work that blocks until the test lets it end.
struct WorkPoolTests {
    /// Counts work that runs, and holds it.
    private final class Gate: Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let isOpen = DispatchSemaphore(value: 0)
        let runningCount = Atomic(0)
        let mostRunning = Atomic(0)

        func pass() {
            let count = runningCount.add(1, ordering: .sequentiallyConsistent).newValue
            mostRunning.max(count, ordering: .sequentiallyConsistent)
            begun.signal()
            isOpen.wait()
            runningCount.subtract(1, ordering: .sequentiallyConsistent)
        }

        func awaitBegin(of count: Int) { for _ in 0..<count { begun.wait() } }
        func open(for count: Int) { for _ in 0..<count { isOpen.signal() } }
    }

    @Test func asMuchRunsAsThereAreThreadsAndTheRestWaitsUpToTheLimit() {
        let pool = WorkPool(name: "test", threadLimit: 3, waitingLimit: 5)
        let gate = Gate()
        for _ in 0..<3 { #expect(pool.run(gate.pass)) }
        gate.awaitBegin(of: 3)
        for _ in 0..<5 { #expect(pool.run(gate.pass)) }
        #expect(!pool.run {}, "too much waits")
        gate.open(for: 8)
        gate.awaitBegin(of: 5)
        #expect(gate.mostRunning.load(ordering: .sequentiallyConsistent) == 3)
    }

    @Test func workThatNeverEndsDelaysNoneWhileAThreadIsFree() {
        let pool = WorkPool(name: "test", threadLimit: 2, waitingLimit: 8)
        let (stuck, quick) = (Gate(), Gate())
        #expect(pool.run(stuck.pass))
        stuck.awaitBegin(of: 1)
        quick.open(for: 8)
        for _ in 0..<8 { #expect(pool.run(quick.pass)) }
        quick.awaitBegin(of: 8)
        #expect(stuck.runningCount.load(ordering: .sequentiallyConsistent) == 1)
        stuck.open(for: 1)
    }

    @Test func workRunsInOrder() {
        let pool = WorkPool(name: "test", threadLimit: 1, waitingLimit: 100)
        let gate = Gate()
        let order = Mutex<[Int]>([])
        #expect(pool.run(gate.pass))
        gate.awaitBegin(of: 1)
        let end = DispatchSemaphore(value: 0)
        for number in 0..<50 {
            #expect(
                pool.run {
                    order.withLock { $0.append(number) }
                    if number == 49 { end.signal() }
                })
        }
        gate.open(for: 1)
        end.wait()
        #expect(order.withLock(\.self) == Array(0..<50))
    }

    @Test func aLookupThatNeverEndsEndsAtItsDeadline() {
        let isFree = DispatchSemaphore(value: 0)
        let start = MonotonicTime.now()
        let found = NameLookup.addresses(of: "slow.invalid", port: 1, until: start + 20_000_000) { _ in
            isFree.wait()
            return []
        }
        #expect(found == nil)
        #expect(MonotonicTime.now() - start >= 20_000_000)
        isFree.signal()
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.1:554"), ("[::1]", "[::1]:554")])
    func aNumericAddressNeedsNoLookup(host: String, address: String) {
        let found = NameLookup.addresses(of: host, port: 554, until: .now()) { _ in [] }
        #expect(found?.map { "\($0)" } == [address])
    }

    @Test func aNameHasAddresses() {
        let found = NameLookup.addresses(of: "localhost", port: 554, until: .now() + 30_000_000_000)
        #expect(found?.contains { "\($0)" == "127.0.0.1:554" || "\($0)" == "[::1]:554" } == true)
        #expect(
            NameLookup.addresses(of: "nowhere.invalid", port: 554, until: .now() + 30_000_000_000, resolve: { _ in [] })
                == [])
    }
}
