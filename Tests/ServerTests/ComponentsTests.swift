import Dispatch
import Logging
import Reactor
import Synchronization
import Testing

@testable import Server

/// Starting and stopping of components, with components that only report what happens.
struct ComponentsTests {
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock(\.self) }
    }

    private struct Part: Component {
        let name: String
        let journal: Journal
        var fails = false
        var isStuck = false

        func start() throws(SystemError) {
            if fails { throw SystemError(call: "start", code: 12) }
            journal.note("start \(name)")
        }

        func stop() { journal.note("stop \(name)") }

        func join(until deadline: DispatchTime) -> Bool {
            journal.note("join \(name)")
            return !isStuck
        }
    }

    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func partsStartInOrderAndStopInReverseOrder() throws {
        let journal = Journal()
        let components = Components(["a", "b", "c"].map { Part(name: $0, journal: journal) }, log: log)
        #expect(components.status.map(\.status) == [.created, .created, .created])
        try components.start()
        #expect(journal.all == ["start a", "start b", "start c"])
        #expect(components.status.map(\.status) == [.running, .running, .running])
        components.stop(until: .now())
        #expect(journal.all.suffix(6) == ["stop c", "stop b", "stop a", "join c", "join b", "join a"])
        #expect(components.status.map(\.status) == [.stopped, .stopped, .stopped])
        components.stop(until: .now())
        #expect(journal.all.count == 9, "nothing stops twice")
    }

    /// Those that started are stopped; those after it are not started.
    @Test func aFailureStopsWhatHasStarted() {
        let journal = Journal()
        var parts = ["a", "b", "c", "d"].map { Part(name: $0, journal: journal) }
        parts[2].fails = true
        let components = Components(parts, log: log)
        #expect(throws: SystemError.self) { try components.start() }
        #expect(journal.all == ["start a", "start b", "stop b", "stop a", "join b", "join a"])
        #expect(components.status.map(\.status) == [.stopped, .stopped, .created, .created])
    }

    @Test func aPartThatDoesNotStopDelaysNoOther() throws {
        let journal = Journal()
        var parts = ["a", "b", "c"].map { Part(name: $0, journal: journal) }
        parts[1].isStuck = true
        let components = Components(parts, log: log)
        try components.start()
        components.stop(until: .now())
        #expect(components.status.map(\.status) == [.stopped, .overdue, .stopped])
    }
}
