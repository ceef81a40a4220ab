extension Configuration {
    /// How the packets of large frames are spread over time on UDP.
    public struct Pacing: Hashable, Sendable {
        /// Of the time between two frames; 0 for no pacing.
        public var intervalPercent = 0
        public var leastKilobytes = 32

        public init() {}
    }
}

extension Schema<Configuration.Pacing> {
    static var pacing: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "intervalPercent", \.intervalPercent, in: 0...90, unit: "percent of the time between two frames",
                "Time over which a large frame is sent, in steps of 2 ms; 0 sends it at once, which is best if no packets "
                    + "are lost."
            ),
            .integer(
                "leastKilobytes", \.leastKilobytes, in: 2...10_000, unit: "kilobytes",
                "Smaller frames are sent at once."))
    }
}
