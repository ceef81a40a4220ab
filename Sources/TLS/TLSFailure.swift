/// Why a connection cannot go on, as a sentence for the log.
public enum TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte is a letter, as of RTSP or HTTP.
    case plainText
    /// The first byte begins no handshake.
    case notTLS(firstByte: UInt8)
    case handshakeTooSlow(seconds: Int)
    case handshakeTooLong(byteCount: Int)
    /// In OpenSSL's words.
    case handshake(String)
    /// After the handshake, in OpenSSL's words.
    case connection(String)

    public var description: String {
        switch self {
        case .plainText: "it speaks without TLS, which the port is for: write rtsps:// for rtsp://"
        case .notTLS(let byte): "it does not speak TLS: its first byte is \(byte)"
        case .handshakeTooSlow(let seconds): "its TLS handshake was not complete after \(seconds) s"
        case .handshakeTooLong(let byteCount): "its TLS handshake was not complete after \(byteCount) bytes"
        case .handshake(let reason): "its TLS handshake failed: \(reason)"
        case .connection(let reason): "its TLS connection failed: \(reason)"
        }
    }
}
