import RTP

extension Configuration {
    /// Whether clients can use TLS, and the server's certificate.
    public struct TLS: Hashable, Sendable {
        public var encryption = Encryption.no
        public var port = 8322
        /// Path of a file; empty for the certificate that `apus certificate` makes.
        public var certificate = ""
        public var key = ""
        public var srtp = SRTP.counterMode

        public init() {}

        /// How media over UDP is encrypted.
        public enum SRTP: String, CaseIterable, Sendable {
            case no = "no"
            case counterMode = "aes-cm"
            case gcm = "aes-gcm"

            /// `nil` if no media goes over UDP.
            var suite: CipherSuite? {
                switch self {
                case .no: nil
                case .counterMode: .counterMode
                case .gcm: .gcm
                }
            }
        }

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

    /// Notes options with which TLS cannot work.
    func noteTLS(in reading: inout Reading) {
        guard tls.encryption != .no else { return }
        let section = OptionPath.root + "tls"
        if tls.encryption == .optional, tls.port == server.port {
            reading.note("is the same as server.port; the defaults are 8322 and 8554", with: section + "port")
        }
        do throws(CertificateFailure) {
            try CertificateFiles(tls).check()
        } catch {
            reading.note("\(error)", with: section + error.file.rawValue)
        }
        guard tls.encryption == .strict else { return }
        for (name, _) in paths.filter(\.value.isMulticast).sorted(by: { $0.key < $1.key }) {
            reading.note(
                "is multicast, which is not encrypted, but tls.encryption is strict; change one of them",
                with: .root + "paths" + name)
        }
    }
}
