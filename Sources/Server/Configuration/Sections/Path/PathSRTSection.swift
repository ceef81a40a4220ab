import SRT
import SRTServer

extension Configuration {
    /// How clients connect to a path over SRT.
    public struct PathSRT: Hashable, Sendable {
        /// Empty without encryption.
        public var passphrase = ""
        /// 0 for that of the section `srt`.
        public var latencyMilliseconds = 0
        public var keyLength = KeyLength.auto

        public init() {}

        /// The key of what is sent.
        public enum KeyLength: String, CaseIterable, Sendable {
            /// AES-128, or that of the client.
            case auto
            case aes128
            case aes192
            case aes256

            var length: SRTKeyLength? {
                switch self {
                case .auto: nil
                case .aes128: .bytes16
                case .aes192: .bytes24
                case .aes256: .bytes32
                }
            }
        }

        /// The same for the server. The check of the configuration ensures that the passphrase is one.
        var connection: SRTConnectionOptions {
            SRTConnectionOptions(
                passphrase: passphrase.isEmpty ? nil : try? SRTPassphrase(passphrase), keyLength: keyLength.length,
                latencyMilliseconds: latencyMilliseconds == 0 ? nil : latencyMilliseconds)
        }
    }
}

extension Schema<Configuration.PathSRT> {
    static var pathSRT: Self {
        Schema(
            takingEffect: .live,
            .text(
                "passphrase", \.passphrase,
                "Encrypts publishers and viewers over SRT, who need the same passphrase: 10 to 79 characters. Empty: not encrypted. No log, "
                    + "status or message shows it."
            ).secret(),
            .integer(
                "latencyMilliseconds", \.latencyMilliseconds, in: 0...10_000, unit: "milliseconds",
                "Replaces srt.latencyMilliseconds for this path; 0 does not."),
            .choice(
                "keyLength", \.keyLength,
                "The cipher of what is sent to viewers, if there is a passphrase. auto: AES-128. Publishers choose theirs."
            ))
    }
}
