import Delivery
import Media
import RTSP
import Reactor
import Streams
import TLS
import WebRTC

/// One session of a client: its resource over HTTP, the network paths to it, its DTLS connection, and what it plays or publishes. Confined
/// to its loop.
///
/// ```
/// pending ──first valid check──▶ handshaking ──keys──▶ established ──▶ ended
/// ```
/// A pending session is small, because anyone who may watch can make many.
final class Session {
    enum Phase {
        /// No client has connected.
        case pending
        case handshaking(DTLSConnection)
        case established(DTLSConnection)
        case ended
    }

    /// What the session is for.
    enum Content {
        case playback(Playback)
        case publishing(Publishing)
    }

    let name: SessionName
    /// Its deadline.
    let token: Token
    let path: OfferedPath
    let grant: Grant
    let client: SessionRequest.Client
    /// The policy by which the client was granted the session.
    let policy: AccessPolicy?
    let content: Content
    let role: DTLSRole
    /// The SHA-256 digest of the peer's certificate.
    let peerFingerprint: [UInt8]
    let signalling: SignallingSession
    var agent: ICEAgent<NetworkPath>
    var phase = Phase.pending
    /// Bounds what is sent before the handshake is complete; `nil` once the peer has proven that it receives.
    var unproven: AmplificationLimit? = AmplificationLimit()
    /// The deadline that is set.
    var deadline: MonotonicTime?

    init(
        _ name: SessionName, token: Token, _ request: SessionRequest, at path: OfferedPath, _ content: Content,
        _ answer: AnswerFacts, under policy: AccessPolicy?, at now: MonotonicTime
    ) {
        (self.name, self.token, self.path, self.content) = (name, token, path, content)
        (grant, client, self.policy) = (request.grant, request.client, policy)
        (role, peerFingerprint) = (answer.role, answer.peerFingerprint)
        signalling = SignallingSession(entityTag: answer.entityTag, remote: request.offer.credentials)
        agent = ICEAgent(credentials: answer.credentials, remote: request.offer.credentials, at: now)
    }

    /// What an answer has settled besides the media.
    struct AnswerFacts {
        let credentials: ICECredentials
        let role: DTLSRole
        let peerFingerprint: [UInt8]
        let entityTag: String
    }

    var dtls: DTLSConnection? {
        switch phase {
        case .handshaking(let connection), .established(let connection): connection
        case .pending, .ended: nil
        }
    }

    var playback: Playback? { if case .playback(let playback) = content { playback } else { nil } }
    var publishing: Publishing? { if case .publishing(let publishing) = content { publishing } else { nil } }

    var right: Right { playback == nil ? .publish : .read }

    var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether its handshake has not been completed.
    var isConnecting: Bool {
        switch phase {
        case .pending, .handshaking: true
        case .established, .ended: false
        }
    }

    /// An authentic check or a datagram of the handshake has come.
    func noteUnproven(_ datagram: RawSpan, over path: NetworkPath) {
        if path == agent.selectedPath { unproven?.received(byteCount: datagram.byteCount) }
    }

    /// Where media go: as the status names it.
    var peer: String { agent.selectedPath.map { "\($0.remote)" } ?? client.endpoint.address }

    /// As status and log name it.
    var transportName: String { agent.selectedPath?.connection == nil ? "WebRTC" : "WebRTC over TCP" }

    /// The client, as events describe it.
    var eventClient: StreamEvent.Client {
        StreamEvent.Client(peer: peer, name: client.userAgent, transport: transportName, user: grant.user)
    }

    /// When something of it is due.
    var nextDeadline: MonotonicTime {
        min(
            agent.nextDeadline, dtls?.nextDeadline ?? .distantFuture, publishing?.nextDeadline ?? .distantFuture)
    }
}
