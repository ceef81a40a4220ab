import Dispatch
import Streams
import Synchronization
import TestSupport

/// Fails so many times, then runs until it is stopped.
final class ScriptedSource: SupervisedSource {
    private struct State {
        var runs = 0
        var isStopped = false
    }

    let label = "script"
    private let failures: Int
    private let endsAtOnce: Bool
    let endsForGood: Bool
    private let state = Mutex(State())
    private let started = Semaphore()
    private let stopped = Semaphore()

    init(failures: Int, endsAtOnce: Bool = false, endsForGood: Bool = false) {
        self.failures = failures
        self.endsAtOnce = endsAtOnce
        self.endsForGood = endsForGood
    }

    var runs: Int { state.withLock { $0.runs } }

    func waitUntilRunning() { started.wait() }

    func isRunning(by deadline: DispatchTime) -> Bool { started.wait(until: deadline) }

    func run(into stream: Stream) throws(SourceFailure) {
        let run = state.withLock { state in
            state.runs += 1
            return state.runs
        }
        guard run > failures else { throw SourceFailure(reason: "the camera is away", remedy: "plug it in") }
        if endsAtOnce { return }
        started.signal()
        stopped.wait()
    }

    func stop() { stopped.signal() }

    func requestKeyframe() {}
}
