import Delivery
import RTSP
import Reactor
import Streams

/// What the RTMP server shares with the servers of other protocols: users, paths and limits. Thread-safe; nothing blocks.
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

    /// The stream that is offered at a path; `nil` if there is none.
    func path(at path: String) -> OfferedPath?
    /// The path most like `path`, to help with typing errors.
    func nearestPath(to path: String) -> String?
    /// Creates a path that a publisher names and that does not exist, if publishers may create it.
    ///
    /// - Parameter then: is called on another thread with the reason why it could not be created; with `nil` if it was.
    /// - Returns: false if publishers may not create paths of this name; then the closure is not called.
    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool

    /// Counts one more viewer; false if the limit of all protocols is reached.
    func admitViewer() -> Bool
    /// The name of a new viewer. No viewer of any protocol has had it.
    func nextViewerID() -> ViewerID
    /// Uncounts a viewer.
    func viewerLeft()
}

/// A stream with what clients of RTMP need of its path's options.
public struct OfferedPath: Sendable {
    public let stream: Streams.Stream
    public let join: JoinOptions
    /// Where clients publish the stream; `nil` if it has a source of its own.
    public let publishing: PublishingPoint?

    public init(stream: Streams.Stream, join: JoinOptions = JoinOptions(), publishing: PublishingPoint? = nil) {
        (self.stream, self.join, self.publishing) = (stream, join, publishing)
    }
}
