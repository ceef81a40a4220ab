import Delivery
import RTSP
import Reactor
import Streams

/// What servers of other protocols share with this one: users, wrong passwords and limits. Thread-safe.
extension Server {
    /// The access policy, and a number that changes with it; `nil` if every client may do everything.
    public var access: (policy: AccessPolicy?, version: UInt64) { admission.versionedPolicy }

    /// The wrong passwords of all protocols.
    public var lockOut: LockOut { admission.lockOut }

    /// Asks the external authoriser about a request that the policy leaves open.
    ///
    /// - Parameter connection: names the client's connection, the same for all its requests.
    public func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {
        guard let authoriser = admission.authoriser else { return answer(.unavailable) }
        authoriser.decide(request, for: connection, answer)
    }

    /// Counts a connection of another protocol against the limits of all.
    ///
    /// - Returns: why the connection is refused; `nil` if it is admitted.
    public func admitConnection(of peer: SocketAddress, _ security: ConnectionSecurity) -> String? {
        do throws(ConnectionRefusal) {
            try registry.admit(peer, security)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Uncounts an unfinished TLS handshake of such a connection.
    public func handshakeEnded() { registry.handshakeEnded() }

    /// The name of a new viewer of another protocol.
    public func nextViewerID() -> ViewerID { registry.nextViewerID() }

    /// Uncounts such a connection, which has closed.
    public func connectionClosed(of peer: SocketAddress) { registry.left(peer) }

    /// The stream at a path with its options, for other protocols; `nil` if there is none.
    public func entry(at path: String) -> PathDirectory.Entry? { directory.entry(at: path) }

    /// The substreams of the stream at a path, in the order of their paths.
    public func substreams(of path: String) -> [PathDirectory.Entry] { directory.substreams(of: path) }

    /// Creates the path that a publisher of another protocol names, as ``PathDirectory/Creator`` says.
    ///
    /// - Parameter then: is given why it could not be created; `nil` if it was.
    public func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool {
        directory.create(PathDirectory.MissingPath(path: path, publisher: publisher)) { refusal in
            then(refusal.map { $0.reason ?? $0.status.description })
        }
    }

    /// The path most like `path`, to help with typing errors.
    public func nearestPath(to path: String) -> String? { directory.nearest(to: path) }

    /// Counts one more viewer of another protocol; false if the limit is reached.
    public func admitViewer() -> Bool { registry.admitViewer() }

    /// Uncounts such a viewer.
    public func viewerLeft() { registry.viewerLeft() }
}
