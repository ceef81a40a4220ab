import Crypto
import RTSP

extension HashFunctions {
    /// Those of swift-crypto.
    public static let crypto = Self(
        md5: { Array(Insecure.MD5.hash(data: $0)) }, sha256: { Array(SHA256.hash(data: $0)) },
        stretched: { pbkdf2(password: $0, salt: $1, iterationCount: stretchingCount) })

    /// What SP 800-132, section 5.2, asks for at least. It takes a millisecond of the event loop that also sends pictures, and
    /// so may not be much more: what a salted hash is worth goes by the length of the password.
    private static let stretchingCount = 1_000

    /// The first 32 bytes of PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2).
    static func pbkdf2(password: [UInt8], salt: [UInt8], iterationCount: Int) -> [UInt8] {
        let key = SymmetricKey(data: password)
        var block = Array(HMAC<SHA256>.authenticationCode(for: salt + [0, 0, 0, 1], using: key))
        var result = block
        for _ in 1..<max(1, iterationCount) {
            block = Array(HMAC<SHA256>.authenticationCode(for: block, using: key))
            for index in result.indices { result[index] ^= block[index] }
        }
        return result
    }
}
