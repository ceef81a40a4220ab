extension Configuration {
    /// The threads that serve viewers.
    public struct Loops: Hashable, Sendable {
        /// 0 for one per core.
        public var threads = 0

        public init() {}
    }
}

extension Schema<Configuration.Loops> {
    static var loops: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer("threads", \.threads, in: 0...256, "Number of event loops; 0 for one per core."))
    }
}
