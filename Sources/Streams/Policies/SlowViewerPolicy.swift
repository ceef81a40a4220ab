/// Decides what happens to a viewer that does not keep up. A pure function: a slow viewer never delays others.
public struct SlowViewerPolicy: Hashable, Sendable {
    /// Media time behind the newest unit, in nanoseconds, beyond which a viewer skips to a keyframe.
    public var maximumLag: Int64
    /// Media time behind the newest unit, in nanoseconds, beyond which a viewer is not sent frames that no other refers to. It is less
    /// than `maximumLag`, so that a viewer that is a little too slow loses single frames, and not all up to a keyframe; but not much
    /// less, because a viewer that only stops for a moment, such as a recorder, is to lose nothing.
    public var thinningLag: Int64 { maximumLag * 7 / 10 }
    /// Nanoseconds without progress after which the viewer is disconnected.
    public var maximumStall: Int64

    public init(maximumLag: Int64 = 500_000_000, maximumStall: Int64 = 10_000_000_000) {
        self.maximumLag = maximumLag
        self.maximumStall = maximumStall
    }

    public enum Action: Hashable, Sendable {
        case keepSending
        /// Skip to the newest keyframe, or wait for the next.
        case skipToKeyframe
        /// End the session.
        case disconnect
    }

    /// The action for a viewer with unsent units.
    ///
    /// - Parameters:
    ///   - lag: media time from the viewer's next unit to the newest, in nanoseconds.
    ///   - stall: nanoseconds since the viewer last took a byte.
    ///   - isInsideUnit: whether part of the next unit has been sent. It is finished first, because half a unit damages a frame.
    ///   - isOverrun: whether the next unit has left the ring.
    public func action(lag: Int64, stall: Int64, isInsideUnit: Bool, isOverrun: Bool) -> Action {
        if stall >= maximumStall { return .disconnect }
        if isOverrun { return .skipToKeyframe }
        if lag > maximumLag, !isInsideUnit { return .skipToKeyframe }
        return .keepSending
    }
}
