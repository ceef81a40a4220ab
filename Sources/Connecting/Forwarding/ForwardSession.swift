import Delivery
import Media
import Reactor

/// What a forward publishes, where and by which protocol.
public protocol ForwardPlan: Sendable {
    /// Begins a session with the server.
    ///
    /// - Parameters:
    ///   - tracks: those of the stream.
    ///   - version: increases with each change of the tracks.
    func makeSession(
        of forward: Forward, _ tracks: [Track], version: UInt64, in surroundings: OutgoingSurroundings,
        at now: MonotonicTime
    ) -> any ForwardSession
}

/// One session of a forward with its server, from the connection to the farewell. Confined to the loop.
public protocol ForwardSession: AnyObject {
    /// When it began.
    var start: MonotonicTime { get }
    /// Why it has ended: close it.
    var end: ForwardEnd? { get }
    /// The time at which to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime { get }

    /// - Parameter socket: its number; the connection is number 0.
    func socketIsReady(_ readiness: Readiness, socket: Int, _ buffers: OutgoingBuffers, at now: MonotonicTime)
    func deadlinePassed(at now: MonotonicTime)

    /// Ends the publication: tells the server, and waits a limited time for its answer.
    func leave(because reason: ForwardEnd, at now: MonotonicTime)

    /// Sends what waits, and notices failures. Called at the end of each turn in which something was done.
    func settle(at now: MonotonicTime)

    /// Closes all sockets.
    func close(at now: MonotonicTime)

    // MARK: Only for sessions whose server is a viewer of the loop's `DeliveryLoop`; all others have the defaults.

    /// Whether `viewer` stands for the server.
    func sends(to viewer: Viewer) -> Bool
    /// Whether a full buffer holds up its datagrams.
    var isBlocked: Bool { get }
    func retryBlockedSockets()

    // MARK: Only for sessions that follow a feed themselves.

    /// Sends what the stream has new.
    ///
    /// - Returns: the latest time of the next call.
    func send(at now: MonotonicTime) -> MonotonicTime
}

extension ForwardSession {
    public func sends(to viewer: Viewer) -> Bool { false }
    public var isBlocked: Bool { false }
    public func retryBlockedSockets() {}
    public func send(at now: MonotonicTime) -> MonotonicTime { .distantFuture }
}

/// Notices a source that publishes nothing. A plain value.
public struct SilenceWatch {
    /// How long a source may publish nothing. Servers end a publisher that sends no media for 10 s, and this is before.
    public static let seconds = 8
    /// The time between two checks, in nanoseconds.
    private static let interval: Int64 = 500_000_000

    public private(set) var nextCheck = MonotonicTime.distantFuture
    private var unitCount: Int64?
    /// When the last new unit was noticed.
    private var lastMedia = MonotonicTime(nanoseconds: 0)

    public init() {}

    public mutating func begin(at now: MonotonicTime) {
        (nextCheck, lastMedia) = (now + Self.interval, now)
    }

    /// Whether the stream has had no unit for too long.
    ///
    /// - Parameter count: the number of its units so far.
    public mutating func isSilent(after count: Int64?, at now: MonotonicTime) -> Bool {
        nextCheck = now + Self.interval
        if count != unitCount { (unitCount, lastMedia) = (count, now) }
        return now - lastMedia >= Int64(Self.seconds) * 1_000_000_000
    }
}
