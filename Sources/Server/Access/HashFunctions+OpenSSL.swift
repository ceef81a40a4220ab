import COpenSSL
import RTSP

/// Why OpenSSL cannot be used, and the remedy.
public struct OpenSSLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    fileprivate init(_ reason: String) {
        description = "passwords need OpenSSL's libcrypto (the package libssl3): \(reason)"
    }
}

extension HashFunctions {
    /// The hash functions of OpenSSL's libcrypto, which the first call loads.
    public static func openSSL() throws(OpenSSLFailure) -> Self {
        if let reason = apus_load_libcrypto() { throw OpenSSLFailure(String(cString: reason)) }
        return Self(
            md5: { bytes in hash(of: 16) { apus_md5(bytes, bytes.count, &$0) } },
            sha256: { bytes in hash(of: 32) { apus_sha256(bytes, bytes.count, &$0) } },
            stretched: { pbkdf2(password: $0, salt: $1, iterationCount: stretchingCount) },
            isSame: { apus_is_same($0, $1, min($0.count, $1.count)) })
    }

    /// The minimum of SP 800-132, section 5.2. It takes 0.3 ms on the event loop, which also sends media, so it cannot be much higher.
    /// A salted hash is therefore only as strong as the password is long.
    private static let stretchingCount: Int32 = 1_000

    /// The first 32 bytes of PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2).
    static func pbkdf2(password: [UInt8], salt: [UInt8], iterationCount: Int32) -> [UInt8] {
        hash(of: 32) { apus_pbkdf2(password, password.count, salt, salt.count, iterationCount, &$0) }
    }

    /// The hash that `make` writes. If it fails for lack of memory, random bytes, which match no password.
    private static func hash(of byteCount: Int, _ make: (inout [UInt8]) -> Bool) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: byteCount)
        return make(&hash) ? hash : hash.map { _ in .random(in: .min ... .max) }
    }
}
