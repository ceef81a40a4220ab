/// What becomes of a viewer who does not keep up. A pure table; nobody ever waits for such a viewer.
public struct SlowViewerPolicy: Hashable, Sendable {
    /// Media time behind the newest unit, in nanoseconds, from which on a viewer skips to a random access point.
    public var maximumLag: Int64
    /// Nanoseconds without any progress after which the viewer is let go.
    public var maximumStall: Int64

    public init(maximumLag: Int64 = 500_000_000, maximumStall: Int64 = 10_000_000_000) {
        self.maximumLag = maximumLag
        self.maximumStall = maximumStall
    }

    public enum Verdict: Hashable, Sendable {
        case keepSending
        /// Skip to the newest random access point, or wait for the next.
        case skipToKeyframe
        /// End the session.
        case disconnect
    }

    /// The verdict on a viewer with unsent units.
    ///
    /// - Parameters:
    ///   - lag: media time from the viewer's next unit to the newest, in nanoseconds.
    ///   - stall: nanoseconds since the viewer last took a byte.
    ///   - isInsideUnit: whether part of the next unit has been sent: it is finished first, or the client would see a damaged picture.
    ///   - isOverrun: whether the next unit has left the ring.
    public func verdict(lag: Int64, stall: Int64, isInsideUnit: Bool, isOverrun: Bool) -> Verdict {
        if stall >= maximumStall { return .disconnect }
        if isOverrun { return .skipToKeyframe }
        if lag > maximumLag, !isInsideUnit { return .skipToKeyframe }
        return .keepSending
    }
}
