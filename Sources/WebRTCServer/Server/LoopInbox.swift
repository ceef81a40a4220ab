import Delivery
import RTSP
import Reactor
import Synchronization
import WebRTC

/// What other threads have for the service of one loop. Thread-safe.
final class LoopInbox: Sendable {
    /// Something for the service.
    enum Message: Sendable {
        /// A client wants a session.
        case open(SessionRequest, Answer)
        /// A request for a session's resource.
        case request(SessionName, SignallingRequest, Answer)
        /// The path of a publisher has been created; or why not.
        case pathCreated(SessionRequest, Answer, refusal: String?)
        /// Another thread has ended the publication of a session.
        case publicationEnded(SessionName, Publication.End)
        /// A viewer of what a session publishes needs a keyframe.
        case keyframeWanted(SessionName)
    }

    typealias Answer = @Sendable (SignallingResponse) -> Void

    let messages: Mailbox<Message>
    private let sessions = Atomic(0)

    init(at place: LoopPlace) {
        messages = place.makeMailbox()
    }

    /// Sessions of the loop, including those that wait here.
    var load: Int { sessions.load(ordering: .relaxed) }

    func open(_ request: SessionRequest, _ answer: @escaping Answer) {
        sessions.add(1, ordering: .relaxed)
        messages.put(.open(request, answer))
    }

    /// Uncounts a session that was refused, or has ended.
    func sessionEnded() { sessions.subtract(1, ordering: .relaxed) }
}
