import RTSP
import Reactor

/// What a client learns about the server and about itself: `GET /api/v1/session`.
struct SessionReport: Encodable {
    let server: ServerReport
    let client: ClientReport

    struct ServerReport: Encodable {
        let version: String
        /// Milliseconds since 1970, with a fraction.
        let time: Double
        let ports: Ports
    }

    /// The ports of the server; `nil` for what is not served.
    struct Ports: Encodable {
        let rtsp, rtsps, http, https, webrtc: Int?

        private enum Key: String, CodingKey {
            case rtsp, rtsps, http, https, webrtc
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(rtsp, forKey: .rtsp)
            try fields.encode(rtsps, forKey: .rtsps)
            try fields.encode(http, forKey: .http)
            try fields.encode(https, forKey: .https)
            try fields.encode(webrtc, forKey: .webrtc)
        }
    }

    struct ClientReport: Encodable {
        let user: String?
        /// The rights for the server as a whole.
        let rights: [String]
        /// How the client can become another user: `form`, `browser`, or not at all.
        let signIn: String?

        private enum Key: String, CodingKey {
            case user, rights, signIn
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(user, forKey: .user)
            try fields.encode(rights, forKey: .rights)
            try fields.encode(signIn, forKey: .signIn)
        }
    }

    init(_ server: ServerContext, _ client: ClientRights) {
        let options = server.options
        self.server = ServerReport(
            version: options.version, time: unixMilliseconds(),
            ports: Ports(
                rtsp: options.otherPorts.rtsp.map(Int.init), rtsps: options.otherPorts.rtsps.map(Int.init),
                http: server.ports.clear.map(Int.init), https: server.ports.tls.map(Int.init),
                webrtc: options.otherPorts.webrtc.map(Int.init)))
        self.client = ClientReport(
            user: client.user, rights: client.rights(at: nil).map(\.rawValue), signIn: client.signIn)
    }
}

/// The wall clock in milliseconds since 1970, with a fraction.
func unixMilliseconds() -> Double { Double(WallClock.unixNanoseconds()) / 1_000_000 }
