import Connecting
import Media
import Reactor

/// A session of ``Sessions``, whatever its protocol. Loop thread only.
public protocol PlayingSession: AnyObject {
    /// Whether the owner has been told of the end, so that the sockets can be closed.
    var isOver: Bool { get }

    /// The time at which to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime { get }

    /// The shortest time from a request to its response, in nanoseconds; `nil` before the first response.
    var shortestRoundTrip: Int64? { get }

    /// A socket is ready, which the session has watched under this number.
    func handle(
        _ readiness: Readiness, of socket: Int, _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner,
        in sessions: Sessions, at now: MonotonicTime)

    func deadlinePassed(at now: MonotonicTime)

    /// Leaves the server. The owner is told of the end.
    func tearDown(at now: MonotonicTime)

    /// Sends a keyframe request for each video track whose server takes such requests.
    func requestKeyframes()

    /// Sends what waits, and reports to the owner. Called at the end of each turn in which something happened.
    func drain(_ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime)

    /// Closes all sockets. The owner gets no more events of the session.
    func closeSockets()
}

/// What a new session of ``Sessions`` gets.
public struct SessionPlace {
    public let number: SessionNumber
    public let watcher: any SocketWatcher
    /// The session's SSRC in its own reports: a random number.
    public let ssrc: UInt32
    /// Makes the token of a socket, which the session names by a number.
    public let newToken: (_ socket: Int) -> Token
}
