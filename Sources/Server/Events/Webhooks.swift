import Connecting
import Dispatch
import Logging
import Reactor
import Streams
import Synchronization

/// The webhooks of the configuration. Thread-safe.
final class Webhooks: Component {
    private struct State {
        var wanted: [Configuration.Webhook]
        var targets: [WebhookTarget] = []
        var isRunning = false
    }

    let name = "the webhooks"
    private let events: EventBus
    private let destinations: PermittedDestinations
    private let log: Logger
    private let state: Mutex<State>

    /// How long the last events may take when the server stops, in milliseconds.
    private static let lastMilliseconds = 300

    /// - Parameter destinations: where they may connect to.
    init(
        _ wanted: [Configuration.Webhook], of events: EventBus, to destinations: PermittedDestinations, log: Logger
    ) {
        (self.events, self.destinations, self.log) = (events, destinations, log)
        state = Mutex(State(wanted: wanted))
    }

    /// Makes the webhooks those of `wanted`: new ones are started, missing ones stopped, and the others go on.
    func set(_ wanted: [Configuration.Webhook]) {
        state.withLock { state in
            state.wanted = wanted
            if state.isRunning { update(&state) }
        }
    }

    private func update(_ state: inout State) {
        var former = state.targets
        state.targets = state.wanted.compactMap { settings in
            if let index = former.firstIndex(where: { $0.settings == settings }) { return former.remove(at: index) }
            do throws(SystemError) {
                return try WebhookTarget(settings, of: events, to: destinations, log: log)
            } catch {
                log.error("cannot start a thread for a webhook: \(error)", metadata: ["url": "\(settings.url)"])
                return nil
            }
        }
        for target in former { target.stop() }
    }

    var status: [WebhookStatus] { state.withLock(\.targets).map(\.status) }

    // MARK: - Component

    func start() {
        state.withLock { state in
            state.isRunning = true
            update(&state)
        }
    }

    /// Events of the server's end are still delivered until `join`.
    func stop() {}

    func join(until deadline: DispatchTime) -> Bool {
        let end = min(deadline, .now() + .milliseconds(Self.lastMilliseconds))
        let targets = state.withLock { state in
            state.isRunning = false
            return state.targets
        }
        let pause = DispatchSemaphore(value: 0)
        while targets.contains(where: { !$0.hasSettled }), DispatchTime.now() < end {
            _ = pause.wait(timeout: .now() + .milliseconds(5))
        }
        for target in targets { target.stop() }
        return true
    }
}
