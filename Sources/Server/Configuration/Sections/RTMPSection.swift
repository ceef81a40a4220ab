import RTMPServer

extension Configuration {
    /// The RTMP server.
    public struct RTMP: Hashable, Sendable {
        public var serve = Serving.auto
        public var port = 1935
        public var tlsPort = 1936
        public var challenge = ServerOptions.Challenge.auto

        public init() {}

        /// When there is an RTMP server.
        public enum Serving: String, CaseIterable, Sendable {
            /// If a path takes publishers, or another option of the section has been set. If the port is in use, the server runs without
            /// RTMP.
            case auto
            case yes
            case no
        }
    }

    /// Serves RTMP at a port; 0 for not at all.
    public mutating func serveRTMP(at port: Int) {
        rtmp.serve = port == 0 ? .no : .yes
        if port != 0 { rtmp.port = port }
    }

    /// Whether there is an RTMP server.
    public var servesRTMP: Bool {
        switch rtmp.serve {
        case .yes: true
        case .no: false
        case .auto:
            rtmp != RTMP() || servedPaths.values.contains { $0.source == .publish } || !publishPatterns.isEmpty
        }
    }
}

extension Schema<Configuration.RTMP> {
    static var rtmp: Self {
        Schema(
            takingEffect: .serverRestart,
            .choice(
                "serve", \.serve,
                "auto: if a path takes publishers at the start, or a port below differs from its default; if the port is in use, "
                    + "the server runs without RTMP. yes: always. no: never."),
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "Port for rtmp://, if tls.encryption is no or optional. 1935 is the standard port, which URLs may leave out."
            ),
            .integer(
                "tlsPort", \.tlsPort, in: 1...65_535, unit: "TCP port",
                "Port for rtmps://, if tls.encryption is optional or strict. It uses the certificate of rtsps://. Clients assume 443 "
                    + "if a URL has none; 1936 is the usual port of servers that do not run as root."),
            .choice(
                "challenge", \.challenge,
                "Which clients are asked for a user and a password when they connect. FFmpeg and OBS send those of their fields, or of "
                    + "rtmp://USER:PASSWORD@…, only then, and a client that is asked gives up if it has none there. auto: clients whose "
                    + "application is the whole path of a stream, so that no ?user=…&pass=… can follow. always: all clients without a "
                    + "user in the query of the application. never: none."))
    }
}
