extension Configuration {
    /// Where clients connect.
    public struct Server: Hashable, Sendable {
        public var port = 8554
        /// Numeric; empty for all addresses of the host, IPv6 and IPv4.
        public var address = ""
        public var sessionTimeoutSeconds = 60

        public init() {}
    }
}

extension Schema<Configuration.Server> {
    static var server: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "8554 is the usual port of servers that do not run as root; 554 is the standard port of RTSP."),
            .address(
                "address", \.address, "Address to listen on; empty for all addresses of this host, IPv6 and IPv4."),
            .integer(
                "sessionTimeoutSeconds", \.sessionTimeoutSeconds, in: 5...3600, unit: "seconds",
                "The session timeout that clients are told: they send a keepalive before it expires, and a session without "
                    + "one ends after 1.25 times this. 60 is the default of RFC 2326, with which clients are tested."
            ))
    }
}
