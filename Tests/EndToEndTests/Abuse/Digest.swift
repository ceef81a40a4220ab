import COpenSSL
import TestSupport

/// Credentials for a Digest challenge (RFC 2617, section 3.2.2), which an attack may falsify.
struct Digest {
    var user: String
    var password: String
    /// From the challenge.
    var realm = "Apus"
    var nonce: String
    /// The realm to hash, if it differs from the named one.
    var hashedRealm: String?
    /// `nc` and `cnonce`, and the value of `qop`.
    var count: UInt32?
    var quality = "auth"
    /// Additional parameters at the end.
    var more: [String] = []

    init(_ account: Account, answering challenge: String) {
        self.init(user: account.name, password: account.password, answering: challenge)
    }

    init(user: String, password: String, answering challenge: String) {
        (self.user, self.password) = (user, password)
        nonce = challenge.firstMatch(of: /nonce="([^"]*)"/).map { String($0.1) } ?? ""
    }

    /// Returns the value of `Authorization`.
    func authorization(_ method: String, _ url: String) -> String {
        let secret = Self.md5("\(user):\(hashedRealm ?? realm):\(password)")
        let request = Self.md5("\(method):\(url)")
        var parts = ["username=\"\(user)\"", "realm=\"\(realm)\"", "nonce=\"\(nonce)\"", "uri=\"\(url)\""]
        if let count {
            let digits = String(count, radix: 16)
            let eight = String(repeating: "0", count: 8 - digits.count) + digits
            let response = Self.md5("\(secret):\(nonce):\(eight):abcdef:auth:\(request)")
            parts += ["response=\"\(response)\"", "qop=\(quality)", "nc=\(eight)", "cnonce=\"abcdef\""]
        } else {
            parts.append("response=\"\(Self.md5("\(secret):\(nonce):\(request)"))\"")
        }
        return "Digest " + (parts + more).joined(separator: ", ")
    }

    private static func md5(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var hash = [UInt8](repeating: 0, count: 16)
        // Without libcrypto, authentication fails and the tests report it.
        guard apus_load_libcrypto() == nil, apus_md5(bytes, bytes.count, &hash) else { return "" }
        return hash.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
