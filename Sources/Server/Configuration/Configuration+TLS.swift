import RTP

extension Configuration {
    /// Whether clients come through TLS, and what the server shows them to be itself.
    public struct TLS: Hashable, Sendable {
        public var encryption = Encryption.no
        public var port = 8322
        /// Path of a file; empty for what `apus certificate` has made.
        public var certificate = ""
        public var key = ""
        public var srtp = SRTP.counterMode

        public init() {}

        /// How media is encrypted that leaves the connection.
        public enum SRTP: String, CaseIterable, Sendable {
            case no = "no"
            case counterMode = "aes-cm"
            case gcm = "aes-gcm"

            /// `nil` where none leaves.
            var suite: CipherSuite? {
                switch self {
                case .no: nil
                case .counterMode: .counterMode
                case .gcm: .gcm
                }
            }
        }

        /// What is sent through TLS.
        public enum Encryption: String, CaseIterable, Sendable {
            /// Nothing.
            case no
            /// What those ask for who come to `port`.
            case optional
            /// Everything.
            case strict
        }
    }

    /// Notes what keeps clients from coming through TLS.
    func noteTLS(in reading: inout Reading) {
        guard tls.encryption != .no else { return }
        let section = OptionPath.root + "tls"
        if tls.encryption == .optional, tls.port == server.port {
            reading.note("is server.port, too; 8322 and 8554 are the defaults", with: section + "port")
        }
        do throws(CertificateFailure) {
            try CertificateFiles(tls).check()
        } catch {
            reading.note("\(error)", with: section + error.file.rawValue)
        }
        guard tls.encryption == .strict else { return }
        for (name, _) in paths.filter(\.value.isMulticast).sorted(by: { $0.key < $1.key }) {
            reading.note(
                "is multicast, in the clear, and tls.encryption is strict: make either of them otherwise",
                with: .root + "paths" + name)
        }
    }
}
