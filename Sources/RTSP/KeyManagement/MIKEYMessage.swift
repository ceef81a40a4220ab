/// A MIKEY message with SRTP keys (RFC 3830), for use inside TLS: the keys are not encrypted (NULL encryption) and the message is
/// not authenticated.
///
/// ```
/// header, crypto sessions │ T │ RAND │ SP … │ KEMAC: key data …
/// ```
/// Identity and general-extension payloads are skipped.
public struct MIKEYMessage: Hashable, Sendable {
    /// The packets of one SSRC.
    public struct CryptoSession: Hashable, Sendable {
        /// The number of the session's policy.
        public var policy: UInt8
        public var ssrc: UInt32
        /// The number of wraps of the sequence number.
        public var rolloverCounter: UInt32

        public init(policy: UInt8 = 0, ssrc: UInt32, rolloverCounter: UInt32 = 0) {
            (self.policy, self.ssrc, self.rolloverCounter) = (policy, ssrc, rolloverCounter)
        }
    }

    /// A security policy (SP, section 6.10).
    public struct Policy: Hashable, Sendable {
        public struct Parameter: Hashable, Sendable {
            public var type: UInt8
            /// At most 255 bytes.
            public var value: [UInt8]

            public init(type: UInt8, value: [UInt8]) {
                (self.type, self.value) = (type, value)
            }
        }

        public var number: UInt8
        public var parameters: [Parameter]

        public init(number: UInt8, parameters: [Parameter]) {
            (self.number, self.parameters) = (number, parameters)
        }
    }

    /// A key (section 6.13).
    public struct KeyData: Hashable, Sendable {
        /// The type of a key.
        public enum Kind: UInt8, Sendable {
            /// A key from which others are derived (TGK).
            case generating = 0
            /// A key for encryption (TEK).
            case encrypting = 2
        }

        public var kind: Kind
        public var key: [UInt8]
        /// Empty if there is no salt, or if `key` ends with it.
        public var salt: [UInt8]
        /// The identifier of the key in packets (SPI or MKI, section 6.14); may be empty.
        public var identifier: [UInt8]

        public init(kind: Kind, key: [UInt8], salt: [UInt8] = [], identifier: [UInt8] = []) {
            (self.kind, self.key, self.salt, self.identifier) = (kind, key, salt, identifier)
        }
    }

    /// The ID of the crypto session bundle (CSB ID).
    public var bundle: UInt32
    /// At most 255.
    public var cryptoSessions: [CryptoSession]
    /// The NTP time of the message; `nil` if it has none or another kind of timestamp.
    public var timestamp: UInt64?
    /// At most 255 bytes.
    public var random: [UInt8]
    public var policies: [Policy]
    public var keys: [KeyData]

    /// The maximum length of a message. Those of GStreamer and live555 have about a hundred bytes.
    public static let maximumByteCount = 2_048

    public init(
        bundle: UInt32, cryptoSessions: [CryptoSession], timestamp: UInt64?, random: [UInt8], policies: [Policy],
        keys: [KeyData]
    ) {
        self.bundle = bundle
        self.cryptoSessions = cryptoSessions
        self.timestamp = timestamp
        self.random = random
        self.policies = policies
        self.keys = keys
    }
}

extension MIKEYMessage {
    /// The supported payload types (section 6.1, RFC 6309).
    enum PayloadType: UInt8 {
        case last = 0
        case keyTransport = 1
        case timestamp = 5
        case identity = 6
        case policy = 10
        case random = 11
        case keyData = 20
        case generalExtension = 21
    }
}

/// Why a MIKEY message is unusable.
public enum MIKEYFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message, or a part of it, ends too early at this byte.
    case truncated(at: Int)
    /// The message is longer than any valid one.
    case tooLong(byteCount: Int)
    case unknownVersion(UInt8)
    /// The message does not use the pre-shared key method.
    case otherExchange(UInt8)
    /// The crypto sessions are not for SRTP.
    case otherProtocol(UInt8)
    case unknownPayload(UInt8, at: Int)
    /// The keys are encrypted or authenticated, which needs a shared secret.
    case encryptedKeys
    /// There is no key, or its length does not match the policy.
    case noKey
    /// The policy has an unsupported value of this parameter.
    case unservedPolicy(parameter: UInt8, value: [UInt8])

    public var description: String {
        switch self {
        case .truncated(let offset): "the MIKEY message is truncated at byte \(offset)"
        case .tooLong(let byteCount): "the MIKEY message is too long: \(byteCount) bytes"
        case .unknownVersion(let version): "unsupported MIKEY version \(version)"
        case .otherExchange(let type): "unsupported MIKEY data type \(type): use 0, pre-shared key"
        case .otherProtocol(let type): "the MIKEY message is not for SRTP but for map type or protocol \(type)"
        case .unknownPayload(let type, let offset):
            "unknown payload type \(type) at byte \(offset) of the MIKEY message"
        case .encryptedKeys: "the keys in the MIKEY message are encrypted; inside TLS, send them with NULL encryption"
        case .noKey: "the MIKEY message has no key of the length that its policy requires"
        case .unservedPolicy(let parameter, let value):
            "unsupported value \(value) of SRTP parameter \(parameter) in the MIKEY message: use AES-CM-128 with "
                + "HMAC-SHA1-80, or AES-GCM-128"
        }
    }
}
