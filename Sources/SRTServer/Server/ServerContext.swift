import Delivery
import RTSP
import Streams
import Synchronization

/// What the thread of SRT shares with other threads. Thread-safe.
final class ServerContext: Sendable {
    let options: ServerOptions
    let services: any SRTSharedServices
    let log: ServiceLog
    let gate: HandshakeGate
    let notices = Notices()
    let fastStartBudget: MemoryBudget

    init(_ options: ServerOptions, _ services: any SRTSharedServices, _ log: ServiceLog) {
        (self.options, self.services, self.log) = (options, services, log)
        gate = HandshakeGate(options, services, log)
        fastStartBudget = MemoryBudget(maximumByteCount: options.maximumFastStartByteCount)
    }
}

/// Something that has been decided or has happened on another thread, for a connection that may be gone by then.
struct Notice: Sendable {
    enum Content: Sendable {
        /// The external service has decided.
        case decided(AccessDecision)
        /// The path of a publisher has been created; or why not.
        case pathCreated(refusal: String?)
        /// A publication was ended.
        case publicationEnded(Publication.End)
    }

    let connection: SRTSocket
    /// What it is about: ``Connection/stepNumber`` when it was asked for.
    let step: Int
    let content: Content
}

/// Notices that wait for the thread of SRT: at most two of each connection. Thread-safe.
final class Notices: Sendable {
    private let waiting = Mutex<[Notice]>([])

    func put(_ notice: Notice) { waiting.withLock { $0.append(notice) } }

    func take() -> [Notice] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
}
