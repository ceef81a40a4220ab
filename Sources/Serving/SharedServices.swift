import RTSP
import Reactor
import Streams

/// What the servers of all protocols share: users and limits. Thread-safe; nothing blocks.
public protocol SharedServices: Sendable {
    /// The access policy, and a number that changes with it; `nil` if every client may do everything.
    var access: (policy: AccessPolicy?, version: UInt64) { get }
    /// The wrong passwords of all protocols.
    var lockOut: LockOut { get }

    /// Asks the external service whether a request is permitted. It calls `answer` once, on any thread.
    ///
    /// - Parameter connection: names the client's connection, the same for all its requests.
    func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void)

    /// Counts an accepted connection, unless one of the limits forbids it.
    ///
    /// - Returns: why the connection is refused; `nil` if it is admitted.
    func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) -> String?
    /// Uncounts an unfinished TLS handshake.
    func handshakeEnded()
    /// Uncounts a connection that has closed.
    func left(_ peer: SocketAddress)

    /// Counts one more viewer; false if the limit of all protocols is reached.
    func admitViewer() -> Bool
    /// The name of a new viewer. No viewer of any protocol has had it.
    func nextViewerID() -> ViewerID
    /// Uncounts a viewer.
    func viewerLeft()
}
