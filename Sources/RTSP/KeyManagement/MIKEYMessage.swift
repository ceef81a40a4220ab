/// A message of MIKEY that brings keys for SRTP (RFC 3830), as far as it is spoken inside TLS: there its keys are told as they
/// are, under the "encryption" NULL, and nothing else vouches for it.
///
/// ```
/// header, crypto sessions │ T │ RAND │ SP … │ KEMAC: key data …
/// ```
/// Payloads that say nothing of keys are read and dropped.
public struct MIKEYMessage: Hashable, Sendable {
    /// One stream of packets, by who sends it.
    public struct CryptoSession: Hashable, Sendable {
        /// The number of its policy.
        public var policy: UInt8
        public var ssrc: UInt32
        /// How often its sequence number has wrapped.
        public var rolloverCounter: UInt32

        public init(policy: UInt8 = 0, ssrc: UInt32, rolloverCounter: UInt32 = 0) {
            (self.policy, self.ssrc, self.rolloverCounter) = (policy, ssrc, rolloverCounter)
        }
    }

    /// How packets are protected (SP, section 6.10).
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
        /// What the key is for; others derive keys by functions that nobody uses here.
        public enum Kind: UInt8, Sendable {
            /// To generate keys (TGK).
            case generating = 0
            /// To encrypt with (TEK).
            case encrypting = 2
        }

        public var kind: Kind
        public var key: [UInt8]
        /// Empty where the key has it behind itself, or none.
        public var salt: [UInt8]
        /// What names the key in packets (SPI or MKI, section 6.14); empty where nothing does.
        public var identifier: [UInt8]

        public init(kind: Kind, key: [UInt8], salt: [UInt8] = [], identifier: [UInt8] = []) {
            (self.kind, self.key, self.salt, self.identifier) = (kind, key, salt, identifier)
        }
    }

    /// Names the bundle of crypto sessions.
    public var bundle: UInt32
    /// At most 255.
    public var cryptoSessions: [CryptoSession]
    /// When it was written, as NTP counts; `nil` where it counts otherwise, or says nothing.
    public var timestamp: UInt64?
    /// At most 255 bytes.
    public var random: [UInt8]
    public var policies: [Policy]
    public var keys: [KeyData]

    /// What one may measure: those of GStreamer and live555 have a hundred bytes.
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
    /// The numbers of payloads (section 6.1, RFC 6309), as far as they are known here.
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

/// Why a message of MIKEY is of no use.
public enum MIKEYFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It ends, or a length in it says so, at this byte.
    case truncated(at: Int)
    /// It is longer than any that brings a key.
    case tooLong(byteCount: Int)
    case unknownVersion(UInt8)
    /// It is no message that brings a key as it is.
    case otherExchange(UInt8)
    /// Its crypto sessions are none of SRTP.
    case otherProtocol(UInt8)
    case unknownPayload(UInt8, at: Int)
    /// Its keys are encrypted, or authenticated by a secret, which nobody shares here.
    case encryptedKeys
    /// It brings no key, or one of another length than its policy says.
    case noKey
    /// Its policy asks for what is not served: this parameter of it.
    case unservedPolicy(parameter: UInt8, value: [UInt8])

    public var description: String {
        switch self {
        case .truncated(let offset): "the MIKEY message is cut off at byte \(offset)"
        case .tooLong(let byteCount): "the MIKEY message has \(byteCount) bytes"
        case .unknownVersion(let version): "it is of version \(version) of MIKEY"
        case .otherExchange(let type): "its MIKEY message is of type \(type): a pre-shared key, 0, is served"
        case .otherProtocol(let type): "its MIKEY message is not about SRTP, but of the map type or protocol \(type)"
        case .unknownPayload(let type, let offset): "its MIKEY message has a payload of type \(type) at byte \(offset)"
        case .encryptedKeys: "its MIKEY message has encrypted keys: inside TLS they go as they are"
        case .noKey: "its MIKEY message has no key of the length that it says"
        case .unservedPolicy(let parameter, let value):
            "its MIKEY message asks for \(value) as parameter \(parameter) of SRTP: AES-CM-128 with HMAC-SHA1-80 is "
                + "served, and AES-GCM-128"
        }
    }
}
