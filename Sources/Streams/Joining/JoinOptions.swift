/// How viewers join in the middle of a GOP. The raw values are the words of the configuration.
public enum JoinMode: String, Hashable, Sendable, CaseIterable {
    /// With a fast start if it fits its limits, otherwise at a keyframe. Clients known as recorders join at a keyframe.
    case auto
    /// The same, also for recorders.
    case fastStart
    /// At the next keyframe, which is requested from the encoder if there is one.
    case keyframe
}

/// How one viewer joins.
public struct JoinOptions: Hashable, Sendable {
    public var mode: JoinMode
    /// The duration of the compressed history, in nanoseconds.
    public var fastStartWindow: Int64
    public var fastStart: FastStart.Limits

    public init(
        mode: JoinMode = .auto, fastStartWindow: Int64 = 120_000_000, fastStart: FastStart.Limits = FastStart.Limits()
    ) {
        self.mode = mode
        self.fastStartWindow = fastStartWindow
        self.fastStart = fastStart
    }
}
