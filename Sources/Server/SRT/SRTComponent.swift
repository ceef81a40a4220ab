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
    private let log: Logger
    private let end = DispatchGroup()

    init(_ calls: SRTCalls, _ served: ServedSRT?, log: Logger) {
        (self.calls, self.served, self.log) = (calls, served, log)
    }

    func start() {
        guard let served else { return }
        do throws(SRTFailure) {
            try calls.start()
        } catch {
            return log.error("SRT cannot be served", metadata: ["reason": "\(error)"])
        }
        served.server.start(with: served.services)
    }

    func stop() {
        DispatchQueue.global().async(group: end) { [calls] in calls.stop() }
    }

    func join(until deadline: DispatchTime) -> Bool { end.wait(timeout: deadline) == .success }
}
