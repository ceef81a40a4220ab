/// Why a connection is rejected, as the caller is told: codes of HTTP, plus 1000 (`access_control.h` of libsrt).
///
/// Callers report the number: libsrt, ffmpeg and `srt-live-transmit` write `PREDEFINED:404`.
public struct SRTRejection: Hashable, Sendable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The stream id cannot be read.
    public static let badRequest = Self(rawValue: 1400)
    /// A user and a password with the right to this are needed.
    public static let unauthorized = Self(rawValue: 1401)
    /// There are too many callers.
    public static let overload = Self(rawValue: 1402)
    /// The address or the user may not do this.
    public static let forbidden = Self(rawValue: 1403)
    public static let notFound = Self(rawValue: 1404)
    /// The mode of the stream id is not supported.
    public static let unsupportedMode = Self(rawValue: 1405)
    /// Another publisher has the path.
    public static let conflict = Self(rawValue: 1409)
    /// The type of the stream id is not supported.
    public static let unsupportedMedia = Self(rawValue: 1415)
    /// The address is locked out.
    public static let locked = Self(rawValue: 1423)
    /// The server is stopping or has no memory.
    public static let unavailable = Self(rawValue: 1503)

    /// The passphrase is wrong: what libsrt itself answers.
    public static let wrongPassphrase = Self(rawValue: 10)
    /// Only one end has a passphrase.
    public static let unexpectedEncryption = Self(rawValue: 11)
    /// No answer came.
    public static let timeout = Self(rawValue: 16)

    /// Whether the server refuses what the caller has sent: its stream id or its passphrase. At each address of the server it would refuse
    /// the same, and may count it as one more wrong password.
    public var concernsCaller: Bool {
        rawValue >= 1000 || self == .wrongPassphrase || self == .unexpectedEncryption
    }
}

extension SRTRejection: CustomStringConvertible {
    /// A sentence for the log of a caller.
    public var description: String {
        switch self {
        case .badRequest: "the server cannot read the stream id"
        case .unauthorized: "the server wants a user and a password with the right to this (401)"
        case .overload: "the server has too many callers (402)"
        case .forbidden: "the server does not permit this (403)"
        case .notFound: "the server has no such stream (404)"
        case .unsupportedMode: "the server does not support this mode (405)"
        case .conflict: "the server's path is taken (409)"
        case .unsupportedMedia: "the server does not support this type (415)"
        case .locked: "the server has locked out this address (423)"
        case .unavailable: "the server cannot serve this now (503)"
        case .wrongPassphrase: "the passphrase is wrong"
        case .unexpectedEncryption: "only one end has a passphrase"
        case .timeout: "the server does not answer"
        default:
            rawValue >= 1000
                ? "the server has rejected the connection with code \(rawValue)"
                : "the connection was rejected (reason \(rawValue) of libsrt)"
        }
    }
}
