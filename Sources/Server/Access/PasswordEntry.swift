import RTSP

/// The lines of one user for the configuration, made from a password.
public struct PasswordEntry: Sendable {
    /// The form in which the password is stored.
    public enum Form: Sendable {
        /// For Digest, with the configuration's realm and hash.
        case digest
        /// For Basic inside TLS.
        case salted
        /// The password itself.
        case plain
    }

    /// A section `users` with this user.
    public let text: String
    /// Clients that cannot use this password, and other reasons to choose another.
    public let warnings: [String]

    /// Why an entry cannot be made.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// - Parameter random: unpredictable bytes for the salt.
    public init(
        user: String, password: String, as form: Form, for access: Configuration.Access,
        random: () -> UInt8 = { .random(in: .min ... .max) }
    ) throws(Refusal) {
        guard isUserName(user) else {
            throw Refusal(description: "a user's name is 1 to 64 letters, digits, `-`, `_` and `.`")
        }
        guard let plain = StoredPassword(password), case .password = plain.secret else {
            throw Refusal(
                description:
                    "a password has 1 to 128 bytes on one line, and does not begin with md5:, sha-256: or salted:")
        }
        let stored: StoredPassword
        do throws(OpenSSLFailure) {
            stored = try form == .plain ? plain : Self.stored(password, of: user, as: form, for: access, random)
        } catch {
            throw Refusal(description: error.description)
        }
        text = "users:\n  \(user):\n    password: \(quoted(stored.text))\n"
        warnings = Self.warnings(user, password, form)
    }

    private static func stored(
        _ password: String, of user: String, as form: Form, for access: Configuration.Access, _ random: () -> UInt8
    ) throws(OpenSSLFailure) -> StoredPassword {
        let hashes = try HashFunctions.openSSL()
        guard form == .digest else {
            let salt = (0..<StoredPassword.saltByteCount).map { _ in random() }
            return StoredPassword(salt: salt, key: hashes.stretched(Array(password.utf8), salt))
        }
        let algorithm = access.digest
        let digest = hashes.digestSecret(algorithm, user: user, realm: access.realm, password: password)
        return StoredPassword(digest: digest, algorithm)
    }

    private static func warnings(_ user: String, _ password: String, _ form: Form) -> [String] {
        var warnings: [String] = []
        if (user + password).contains(where: \.isUppercase) {
            warnings.append(
                "VLC of Debian and Ubuntu cannot log in, because it sends user and password in lower case (SAT>IP); use lower-case "
                    + "letters only")
        }
        let unescaped = "-._~!$&'()*+,;="
        if password.contains(where: { !($0.isASCII && ($0.isLetter || $0.isNumber) || unescaped.contains($0)) }) {
            warnings.append("the password contains characters that must be percent-encoded in URLs")
        }
        if form == .salted {
            warnings.append("a salted hash works for Basic inside TLS and for SAT>IP only, not for Digest")
        }
        if password.utf8.count < 8 { warnings.append("short passwords can be guessed; use 8 characters or more") }
        return warnings
    }
}
