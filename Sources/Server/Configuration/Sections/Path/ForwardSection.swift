import RTSPClient
import Yams

extension Configuration {
    /// Another server that a path is forwarded to.
    public struct Forward: Hashable, Sendable {
        public var destination = ForwardDestination.example
        public var transport = Transport.tcp
        /// Replaces the user of the URL; empty for that of the URL.
        public var user = ""
        public var password = ""
        public var certificate = CertificateCheck.verify

        public init() {}

        public enum Transport: String, CaseIterable, Sendable {
            case tcp
            case udp

            var session: SessionTransport {
                switch self {
                case .tcp: .tcp
                case .udp: .udp
                }
            }
        }

        /// How media is sent, for users: `TCP`, `UDP`, `TLS`, `RTMP`, `RTMPS`, `SRT`.
        var transportText: String {
            switch destination {
            case .rtsp(let url, _): url.isSecure ? "TLS" : transport.rawValue.uppercased()
            case .rtmp(let url, _): url.isSecure ? "RTMPS" : "RTMP"
            case .srt(let url, _): url.passphrase == nil ? "SRT" : "SRT, encrypted"
            }
        }
    }
}

extension Schema<Configuration.Forward> {
    static var forward: Self {
        Schema(
            takingEffect: .live,
            .destination(
                "url", \.destination,
                "Where the stream is published. A URL may contain a user and a password. For a pattern of paths, a star in the path "
                    + "of the URL stands for what the star of the pattern stands for."),
            .choice(
                "transport", \.transport,
                "How media is sent to an RTSP server. tcp: inside the connection. udp: with less delay, but packets that are lost on bad networks "
                    + "are lost."),
            .remoteUser(\.user), .remotePassword(\.password), .remoteCertificate(\.certificate))
    }
}

extension Entry {
    /// A URL to forward to. No message repeats it, because it may contain a password.
    fileprivate static func destination(
        _ key: String, _ member: WritableKeyPath<Section, ForwardDestination>, _ reason: String
    ) -> Self {
        Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .scalar(let scalar) = node, !node.isNothing else {
                    return reading.note("expects a URL, not \(node.kind)", at: node, path)
                }
                do throws(ForwardDestination.Problem) {
                    section[keyPath: member] = try ForwardDestination(scalar.string)
                } catch {
                    reading.note(error.message, at: node, path)
                }
            },
            content: .option(
                OptionText(expectation: "an rtsp://, rtsps://, rtmp://, rtmps:// or srt:// URL", reason: reason) {
                    section in
                    quoted(section[keyPath: member].text)
                }))
    }
}
