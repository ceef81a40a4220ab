extension Configuration {
    /// What one client may use.
    public struct Limits: Hashable, Sendable {
        public var requestHeadBytes = 16_384
        public var requestHeaders = 64
        public var urlBytes = 2048
        public var bodyBytes = 65_536
        public var requestHeadSeconds = 10
        public var idleConnectionSeconds = 60
        public var handshakeSeconds = 10
        public var handshakeBytes = 16_384
        public var connections = 8192
        public var connectionsPerAddress = 64
        public var connectionsPerNetwork = 256
        public var unfinishedHandshakes = 512
        public var sessionsPerConnection = 8
        public var streamsPerConnection = 100
        public var controlFrames = 200
        public var resetStreams = 200
        public var transportOffers = 16
        public var viewers = 4096
        public var viewerLagMilliseconds = 500
        public var viewerStallSeconds = 10

        public init() {}
    }
}

extension Schema<Configuration.Limits> {
    static var limits: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "requestHeadBytes", \.requestHeadBytes, in: 1024...1_048_576, unit: "bytes",
                "Length of the request line and the headers; real clients send less than 2 KB."),
            .integer(
                "requestHeaders", \.requestHeaders, in: 16...1024,
                "Number of headers of one request; real clients send 5 to 15."),
            .integer("urlBytes", \.urlBytes, in: 256...16_384, unit: "bytes", "Length of the URL of a request."),
            .integer(
                "bodyBytes", \.bodyBytes, in: 1024...1_048_576, unit: "bytes",
                "Length of the body of a request; a larger one is rejected (413) before any of it is stored."),
            .integer(
                "requestHeadSeconds", \.requestHeadSeconds, in: 1...300, unit: "seconds",
                "Time from the first byte of a request to the end of its headers; stops clients that send very slowly."
            ),
            .integer(
                "idleConnectionSeconds", \.idleConnectionSeconds, in: 5...3600, unit: "seconds",
                "Time without a request after which a connection without a session is closed."),
            .integer(
                "handshakeSeconds", \.handshakeSeconds, in: 1...300, unit: "seconds",
                "Time from a connection for rtsps:// to the end of its TLS handshake, which takes two round trips."),
            .integer(
                "handshakeBytes", \.handshakeBytes, in: 4096...1_048_576, unit: "bytes",
                "Bytes that a client may send before its TLS handshake is complete; real clients send less than 3 KB."
            ),
            .integer(
                "connections", \.connections, in: 16...1_000_000,
                "Connections of the whole server, including loopback; more are closed at once. The default is twice the "
                    + "default of viewers, for clients that do not play. Raise it together with viewers."),
            .integer(
                "connectionsPerAddress", \.connectionsPerAddress, in: 1...65_536,
                "Connections from one address at the same time; loopback is exempt. Raise it for many viewers behind one NAT."
            ),
            .integer(
                "connectionsPerNetwork", \.connectionsPerNetwork, in: 1...1_000_000,
                "Connections from one IPv6 network (/64) at the same time; loopback is exempt. One host can use every "
                    + "address of its /64, and all hosts of a home or an office share one: the default is "
                    + "connectionsPerAddress for four hosts."
            ),
            .integer(
                "unfinishedHandshakes", \.unfinishedHandshakes, in: 1...1_000_000,
                "Connections whose TLS handshake is not complete, including loopback; more are closed at once. Each uses "
                    + "44 KB for up to handshakeSeconds: 512 use 23 MB. A handshake takes two round trips."),
            .integer(
                "sessionsPerConnection", \.sessionsPerConnection, in: 1...64,
                "Sessions on one connection; players need 1. Further ones get 453. Over HTTP/2, the endless MP4 files on one "
                    + "connection; further ones get 503."),
            .integer(
                "streamsPerConnection", \.streamsPerConnection, in: 1...1000,
                "Requests that are open on one HTTP/2 connection at the same time; a client that opens more is disconnected. "
                    + "Browsers open up to 100, which RFC 9113 recommends to allow."),
            .integer(
                "controlFrames", \.controlFrames, in: 10...100_000,
                "PING, SETTINGS and PRIORITY frames of an HTTP/2 client within 30 seconds; a client that sends more is "
                    + "disconnected. Browsers send a few when a page is loaded."),
            .integer(
                "resetStreams", \.resetStreams, in: 10...100_000,
                "Requests that an HTTP/2 client cancels, or that are malformed, within 30 seconds; a client with more is "
                    + "disconnected, because each costs the server more than the client. Browsers cancel those of a page that "
                    + "is left."),
            .integer(
                "transportOffers", \.transportOffers, in: 1...256,
                "Transports of one SETUP request that are tried, because each may need keys and ports; clients offer 1 to 4."
            ),
            .integer(
                "viewers", \.viewers, in: 1...1_000_000,
                "Viewers of the whole server; further ones get 453. Each uses about 10 KB and one or two file descriptors."
            ),
            .integer(
                "viewerLagMilliseconds", \.viewerLagMilliseconds, in: 50...10_000, unit: "milliseconds of media",
                "A TCP viewer that is further behind than this skips to the next keyframe, so that it is live again."
            ),
            .integer(
                "viewerStallSeconds", \.viewerStallSeconds, in: 1...300, unit: "seconds",
                "A TCP viewer that receives no byte for this long is disconnected."))
    }
}
