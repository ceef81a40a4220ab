import Logging

extension Configuration {
    /// The log on standard error.
    public struct Log: Hashable, Sendable {
        public var level = Logger.Level.info
        public var statusSeconds = 0

        public init() {}
    }
}

extension Schema<Configuration.Log> {
    static var log: Self {
        Schema(
            takingEffect: .live,
            .choice("level", \.level, "Least severe level that is logged."),
            .integer(
                "statusSeconds", \.statusSeconds, in: 0...86_400, unit: "seconds",
                "How often the status of streams and event loops is logged, as after SIGUSR1: what was sent, and how long "
                    + "frames took in each stage; 0 for never."))
    }
}
