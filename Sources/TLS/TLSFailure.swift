/// The reason why a TLS connection failed, as a sentence for the log.
public enum TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte is a letter, as in RTSP or HTTP.
    case plainText
    /// The first byte is not that of a handshake record.
    case notTLS(firstByte: UInt8)
    case handshakeTooSlow(seconds: Int)
    case handshakeTooLong(byteCount: Int)
    /// The handshake failed; contains OpenSSL's reason.
    case handshake(String)
    /// The server's certificate is not accepted, for this reason. The SHA-256 fingerprint is that of the certificate.
    case untrusted(String, fingerprint: [UInt8])
    /// The connection failed after the handshake; contains OpenSSL's reason.
    case connection(String)

    public var description: String {
        switch self {
        case .plainText: "the client sent plain text to the TLS port; it must use rtsps:// instead of rtsp://"
        case .notTLS(let byte): "the client did not send a TLS handshake: the first byte is \(byte)"
        case .handshakeTooSlow(let seconds): "the TLS handshake was not complete after \(seconds) s"
        case .handshakeTooLong(let byteCount): "the TLS handshake was not complete after \(byteCount) bytes"
        case .handshake(let reason): "the TLS handshake failed: \(reason)"
        case .untrusted(let reason, let fingerprint):
            "the server's certificate is not trusted: \(reason); its fingerprint is "
                + fingerprint.map(Self.hexadecimal).joined()
        case .connection(let reason): "the TLS connection failed: \(reason)"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
