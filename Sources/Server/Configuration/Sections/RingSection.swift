extension Configuration {
    /// How much recent media each stream keeps.
    public struct Ring: Hashable, Sendable {
        public var seconds = 12
        public var bytes = 16_000_000

        public init() {}
    }
}

extension Schema<Configuration.Ring> {
    static var ring: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "seconds", \.seconds, in: 1...600, unit: "seconds of media",
                "Must be longer than the longest time between two keyframes, so that a viewer that joins finds one."
            ),
            .integer(
                "bytes", \.bytes, in: 1_000_000...4_000_000_000, unit: "bytes", "Limit for all bitrates."))
    }
}
