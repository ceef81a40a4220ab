import Dispatch
import Logging
import Reactor
import Synchronization

/// The components of a server: started in order, and stopped in reverse order.
final class Components: Sendable {
    /// What a component does.
    enum Status: Hashable, Sendable {
        case created
        case running
        /// It was asked to stop, and has not stopped in time.
        case overdue
        case stopped
    }

    private let list: [any Component]
    private let log: Logger
    private let states: Mutex<[Status]>

    init(_ list: [any Component], log: Logger) {
        self.list = list
        self.log = log
        states = Mutex(list.map { _ in .created })
    }

    /// What each component does, by its name and in their order.
    var status: [(name: String, status: Status)] {
        zip(list, states.withLock(\.self)).map { ($0.name, $1) }
    }

    /// Starts all components. If one fails, those before it are stopped again.
    func start() throws(SystemError) {
        for (index, component) in list.enumerated() {
            do throws(SystemError) {
                try component.start()
            } catch {
                log.error("cannot start \(component.name)", metadata: ["reason": "\(error)"])
                stop(list.indices.prefix(index), until: .now() + .seconds(1))
                throw error
            }
            states.withLock { $0[index] = .running }
        }
    }

    /// Stops all components that run. Blocks until they have stopped, but not longer than `deadline`.
    ///
    /// All are asked first, so that they stop at the same time and a slow one delays no other.
    func stop(until deadline: DispatchTime) {
        let states = states.withLock(\.self)
        stop(list.indices.filter { states[$0] == .running }, until: deadline)
    }

    private func stop(_ indices: some Collection<Int>, until deadline: DispatchTime) {
        let reversed = indices.sorted(by: >)
        for index in reversed { list[index].stop() }
        for index in reversed {
            let hasStopped = list[index].join(until: deadline)
            states.withLock { $0[index] = hasStopped ? .stopped : .overdue }
            if !hasStopped { log.warning("\(list[index].overdueWarning)") }
        }
    }
}
