import Dispatch
import Logging
import Reactor
import SRTClient
import SRTServer

/// SRT: its thread, if there is a server, or a path calls one.
final class SRTComponent: Component {
    let name = "SRT"
    let overdueWarning = "some connections over SRT could not be ended in time"
    private let calls: SRTCalls
    /// `nil` without a server.
    private let served: ServedSRT?
    /// Whether a path calls a server.
    private let hasCalls: Bool
    private let log: Logger
    private let end = DispatchGroup()

    init(_ calls: SRTCalls, _ served: ServedSRT?, hasCalls: Bool, log: Logger) {
        (self.calls, self.served, self.hasCalls, self.log) = (calls, served, hasCalls, log)
    }

    func start() {
        guard served != nil || hasCalls && calls.isLoaded else { return }
        do throws(SRTFailure) {
            try calls.start()
        } catch {
            return log.error("the thread of SRT cannot be started", metadata: ["reason": "\(error)"])
        }
        if let served { served.server.start(with: served.services) }
    }

    func stop() {
        DispatchQueue.global().async(group: end) { [calls] in calls.stop() }
    }

    func join(until deadline: DispatchTime) -> Bool { end.wait(timeout: deadline) == .success }
}
