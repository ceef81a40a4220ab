import Delivery
import RTSPClient

extension Configuration {
    /// How the stream of another server is pulled.
    public struct Pull: Hashable, Sendable {
        public var transport = Transport.auto
        /// Replaces the user of the URL; empty for that of the URL.
        public var user = ""
        public var password = ""
        public var certificate = CertificateCheck.verify

        public init() {}

        public enum Transport: String, CaseIterable, Sendable {
            /// TCP, and UDP if the server refuses TCP or sends nothing over it.
            case auto
            case tcp
            case udp
            case multicast

            /// How long the first packet may take after the answer to PLAY. If the server refuses TCP and UDP is blocked on the
            /// way, waiting longer does not help.
            func firstMediaSeconds(over session: SessionTransport) -> Int {
                self == .auto && session == .udp ? 3 : StreamReception.silenceSeconds
            }

            /// The transports to try, in this order.
            var sessions: [SessionTransport] {
                switch self {
                case .auto: [.tcp, .udp]
                case .tcp: [.tcp]
                case .udp: [.udp]
                case .multicast: [.multicast]
                }
            }
        }
    }
}

extension Schema<Configuration.Pull> {
    static var pull: Self {
        Schema(
            takingEffect: .source,
            .choice(
                "transport", \.transport,
                "How media comes. auto: inside the TCP connection, or over UDP if the server refuses that or sends nothing. UDP can have less "
                    + "delay, and loses packets on bad networks. multicast: from the group that the server names."),
            .remoteUser(\.user), .remotePassword(\.password), .remoteCertificate(\.certificate))
    }
}
