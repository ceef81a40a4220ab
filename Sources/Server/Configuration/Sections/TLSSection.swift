import RTP

extension Configuration {
    /// Whether clients can use TLS, and the server's certificate.
    public struct TLS: Hashable, Sendable {
        public var encryption = Encryption.no
        public var port = 8322
        /// Path of a file; empty for the certificate that `apus certificate` makes.
        public var certificate = ""
        public var key = ""
        /// How media over UDP is encrypted; `nil` if none goes over UDP.
        public var srtp: CipherSuite? = .counterMode

        public init() {}

        /// Which clients use TLS.
        public enum Encryption: String, CaseIterable, Sendable {
            /// None.
            case no
            /// Clients of `port`.
            case optional
            /// All.
            case strict
        }
    }
}

extension Schema<Configuration.TLS> {
    static var tls: Self {
        Schema(
            takingEffect: .serverRestart,
            .choice(
                "encryption", \.encryption,
                "no: rtsp:// only. optional: rtsp:// and rtsps://; the URL that a client opens decides. strict: rtsps:// "
                    + "only, so that nothing is sent unencrypted. The media of rtsps:// is always encrypted, inside TLS or "
                    + "by SRTP."
            ),
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "Port for rtsps://. 8322 is the usual port of servers that do not run as root; 322 is the standard port, which "
                    + "URLs may leave out."
            ),
            .choice(
                "srtp", \.srtp, among: [nil] + CipherSuite.allCases, word: { $0?.word ?? "no" },
                "How the media of rtsps:// is encrypted over UDP. aes-cm (AES-CM-128 with HMAC-SHA1-80): all clients with SRTP "
                    + "support it. aes-gcm (AES-GCM-128): costs half as much processor time. no: no UDP; the media goes "
                    + "inside TLS."
            ),
            .text(
                "certificate", \.certificate, maximumBytes: 4000,
                "PEM file with the certificate and its intermediate certificates, such as fullchain.pem of certbot; empty "
                    + "for the certificate that apus certificate makes. Apus reads it again when it changes; viewers stay "
                    + "connected."
            ).takingEffect(.live),
            .text(
                "key", \.key, maximumBytes: 4000,
                "PEM file with the private key, without a passphrase, readable only by the user that runs Apus; empty for "
                    + "the key that apus certificate makes."
            ).takingEffect(.live))
    }
}

extension CipherSuite {
    /// As `tls.srtp` names it.
    fileprivate var word: String {
        switch self {
        case .counterMode: "aes-cm"
        case .gcm: "aes-gcm"
        }
    }
}
