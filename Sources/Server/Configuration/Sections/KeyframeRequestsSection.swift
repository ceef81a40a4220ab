extension Configuration {
    /// How often viewers may make an encoder send a keyframe.
    public struct KeyframeRequests: Hashable, Sendable {
        public var burst = 3
        public var intervalMilliseconds = 500

        public init() {}
    }
}

extension Schema<Configuration.KeyframeRequests> {
    static var keyframeRequests: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer("burst", \.burst, in: 1...100, "Requests that are granted without a pause."),
            .integer(
                "intervalMilliseconds", \.intervalMilliseconds, in: 0...60_000, unit: "milliseconds",
                "Pause after which one more request is granted."))
    }
}
