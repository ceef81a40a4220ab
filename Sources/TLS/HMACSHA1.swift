import COpenSSL

/// The message authentication code HMAC-SHA1 (RFC 2104), which connectivity checks carry (RFC 8489, section 14.5).
public enum HMACSHA1 {
    /// The code of 20 bytes; empty if OpenSSL cannot make it. A ``DTLSIdentity`` must exist, which has loaded OpenSSL.
    public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 20)
        return apus_hmac_sha1(key, key.count, message, message.count, &code) ? code : []
    }
}
