import Media

/// What a viewer has not been sent, or has not read.
public struct Backlog: Hashable, Sendable {
    /// Media time from what has reached the viewer to the newest unit, in nanoseconds.
    public var nanoseconds: Int64 = 0
    /// Over TCP: bytes written that the client has not read, as an estimate.
    public var unreadByteCount = 0
    /// Units that were skipped because the viewer did not keep up.
    public var droppedUnits: UInt64 = 0
}

extension DeliveryLoop {
    private func lag(of viewer: Viewer, at now: MonotonicTime) -> Int64? {
        audience(of: viewer).flatMap { audience in
            viewer.follower.lag(in: audience.view, over: viewer.transport(at: now), at: now)
        }
    }

    /// The backlog of a viewer on this loop.
    public func backlog(of viewer: Viewer, at now: MonotonicTime) -> Backlog {
        Backlog(
            nanoseconds: lag(of: viewer, at: now) ?? 0,
            unreadByteCount: viewer.output?.unreadByteCount(at: now) ?? 0, droppedUnits: viewer.droppedUnits)
    }
}
