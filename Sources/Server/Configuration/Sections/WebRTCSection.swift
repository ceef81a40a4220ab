import RTSP
import Reactor
import WebRTC

extension Configuration {
    /// The WebRTC server.
    public struct WebRTC: Hashable, Sendable {
        public var serve = RTMP.Serving.auto
        public var port = 8189
        public var singlePort = false
        public var addresses: [String] = []
        public var iceServers: [ICEServer] = []
        public var playoutDelay = PlayoutDelayMode.control
        public var maximumDelayMilliseconds = 0
        public var pendingSessions = 512
        public var pendingSessionsPerAddress = 32
        public var connections = 1_024

        public init() {}

        /// Whether the server or the browser decides how long frames are delayed.
        public enum PlayoutDelayMode: String, CaseIterable, Sendable {
            /// This server.
            case control
            /// The browser.
            case browser
        }
    }

    /// Whether there is a WebRTC server.
    public var servesWebRTC: Bool { webrtc.serve != .no && http.port != 0 }
}

extension Schema<Configuration.WebRTC> {
    static var webrtc: Self {
        Schema(
            takingEffect: .serverRestart,
            .choice(
                "serve", \.serve,
                "auto: if there is an HTTP server, which takes the requests of clients; if a port is in use, the server runs without "
                    + "WebRTC. yes: the same, but a port in use is an error. no: never."),
            .integer(
                "port", \.port, in: 1...65_535, unit: "UDP and TCP port",
                "The first port for media. Each event loop (loops.threads) has one of its own, from here on; a client is told the one of its "
                    + "loop. TCP is for clients whose network blocks UDP."),
            .boolean(
                "singlePort", \.singlePort,
                "Whether the first event loop serves all clients, so that only one port need be open or forwarded. Then one core encrypts "
                    + "for all viewers over WebRTC."),
            .list(
                "addresses", \.addresses, of: "numeric IP address",
                "Addresses at which clients reach this server, beside those of its interfaces: the public address of a NAT that forwards the "
                    + "ports, or the address of the host of a container. They come first.",
                parse: { SocketAddress($0, port: 0).map { $0.host } }, show: { $0 }),
            .list(
                "iceServers", \.iceServers, of: "URL such as stun:stun.example:3478 or turn:USER:PASSWORD@turn.example",
                "STUN and TURN servers that clients are told of. This server needs none: clients reach it at its own addresses.",
                // The URLs of TURN servers have passwords.
                parse: { ICEServer(text: $0) }, show: \.text, naming: \.kindWithoutText
            ).secret(),
            .choice(
                "playoutDelay", \.playoutDelay,
                "control: this server tells browsers to delay frames by at most maximumDelayMilliseconds, which saves 20 to 45 ms. browser: "
                    + "the browser decides."),
            .integer(
                "maximumDelayMilliseconds", \.maximumDelayMilliseconds, in: 0...10_000, unit: "milliseconds",
                "How long a browser may delay frames to wait for lost packets, if playoutDelay is control. 0 shows each frame at once; 100 is "
                    + "better for networks with a round trip of more than 30 ms that lose packets."),
            .integer(
                "pendingSessions", \.pendingSessions, in: 1...100_000, unit: "sessions",
                "Sessions that were requested over HTTP and whose clients have not connected. Each has 10 s for that and 10 s for its handshake, "
                    + "and costs about 2 KB, or 50 KB during the handshake."
            ),
            .integer(
                "pendingSessionsPerAddress", \.pendingSessionsPerAddress, in: 1...100_000, unit: "sessions",
                "The same from one address, or from one IPv6 network (/64): a page with a wall of cameras opens some at once."
            ),
            .integer(
                "connections", \.connections, in: 0...100_000, unit: "TCP connections",
                "TCP connections at the ports for media, on each event loop; 0 for none."))
    }
}

extension ICEServer {
    /// Parses `stun:HOST:PORT`, or `turn:USER:PASSWORD@HOST:PORT`.
    init?(text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, ["stun", "stuns", "turn", "turns"].contains(parts[0]), !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ">") })
        else { return nil }
        guard let at = parts[1].lastIndex(of: "@") else {
            self.init(url: text, username: nil, credential: nil)
            return
        }
        let login = parts[1][..<at].split(separator: ":", maxSplits: 1)
        guard login.count == 2, parts[1].index(after: at) < parts[1].endIndex else { return nil }
        self.init(
            url: "\(parts[0]):\(parts[1][parts[1].index(after: at)...])", username: String(login[0]),
            credential: String(login[1]))
    }

    /// As the configuration has it.
    var text: String {
        guard let username, let credential, let colon = url.firstIndex(of: ":") else { return url }
        return "\(url[...colon])\(username):\(credential)@\(url[url.index(after: colon)...])"
    }
}
