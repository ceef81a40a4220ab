import Delivery
import Media
import RTSP
import Reactor

/// Asks the external authoriser, and receives its decisions. Confined to the loop.
struct ExternalDecisions {
    struct Decided: Sendable {
        let request: RequestID
        let connection: Token
        let decision: AccessDecision
    }

    let admission: Admission
    private let mailbox: Mailbox<Decided>

    /// - Parameter mailbox: that of the loop.
    init(_ admission: Admission, _ mailbox: Mailbox<Decided>) {
        self.admission = admission
        self.mailbox = mailbox
    }

    /// Asks for a decision on a request, which waits meanwhile. Its connection may be gone by then.
    func ask(
        _ request: ExternalAuthorisationRequest, _ id: RequestID, for connection: Connection, at now: MonotonicTime
    ) {
        guard let authoriser = admission.authoriser else {
            return connection.machine.decided(id, .unavailable, at: now)
        }
        let (token, mailbox) = (connection.token, mailbox)
        authoriser.decide(request, for: connection.client.name) { decision in
            mailbox.put(Decided(request: id, connection: token, decision: decision))
        }
    }

    /// The decisions since the last call.
    func takeAll() -> [Decided] { mailbox.take() }
}
