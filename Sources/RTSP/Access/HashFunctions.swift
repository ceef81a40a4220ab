/// The hash functions that authentication needs. The caller provides them, like time and random numbers.
public struct HashFunctions: Sendable {
    /// RFC 1321: 16 bytes.
    public let md5: @Sendable ([UInt8]) -> [UInt8]
    /// FIPS 180-4: 32 bytes.
    public let sha256: @Sendable ([UInt8]) -> [UInt8]
    /// Derives a key from a password and a salt, for passwords that are stored salted.
    public let stretched: @Sendable (_ password: [UInt8], _ salt: [UInt8]) -> [UInt8]
    private let isSame: @Sendable ([UInt8], [UInt8]) -> Bool

    /// - Parameter isSame: compares two arrays of the same length in a time that depends only on the length. Otherwise the time
    ///   of a refusal would reveal how many bytes of a guess were correct.
    public init(
        md5: @escaping @Sendable ([UInt8]) -> [UInt8], sha256: @escaping @Sendable ([UInt8]) -> [UInt8],
        stretched: @escaping @Sendable (_ password: [UInt8], _ salt: [UInt8]) -> [UInt8],
        isSame: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) {
        self.md5 = md5
        self.sha256 = sha256
        self.stretched = stretched
        self.isSame = isSame
    }

    /// `H(…)` of the parts with colons between them, in lower-case hexadecimal digits (RFC 2617, section 3.1.3).
    func digits(_ algorithm: DigestAlgorithm, of parts: String...) -> String {
        let bytes = Array(parts.joined(separator: ":").utf8)
        let hash = algorithm == .md5 ? md5(bytes) : sha256(bytes)
        return Digits.hexadecimal(of: hash)
    }

    /// The stored form of a password for Digest, `H(A1)` (RFC 2617, section 3.2.2.2), which replaces the password itself.
    public func digestSecret(_ algorithm: DigestAlgorithm, user: String, realm: String, password: String) -> String {
        digits(algorithm, of: user, realm, password)
    }

    /// The authentication code of `message`: HMAC-SHA-256 (RFC 2104, section 2). Only an owner of `key` can make it.
    public func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        let blockByteCount = 64
        let short = key.count > blockByteCount ? sha256(key) : key
        let block = short + [UInt8](repeating: 0, count: blockByteCount - short.count)
        return sha256(block.map { $0 ^ 0x5C } + sha256(block.map { $0 ^ 0x36 } + message))
    }

    /// Whether both hashes are equal; the time of the comparison depends only on their lengths.
    func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && isSame(left, right)
    }

    func areEqual(_ left: String, _ right: String) -> Bool { areEqual(Array(left.utf8), Array(right.utf8)) }
}
