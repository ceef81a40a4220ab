/// The hash functions that authentication needs. This room is given them, as it is given time and random numbers.
public struct HashFunctions: Sendable {
    /// RFC 1321: 16 bytes.
    public let md5: @Sendable ([UInt8]) -> [UInt8]
    /// FIPS 180-4: 32 bytes.
    public let sha256: @Sendable ([UInt8]) -> [UInt8]
    /// The key that a password and a salt are stretched to, for passwords that are stored so.
    public let stretched: @Sendable (_ password: [UInt8], _ salt: [UInt8]) -> [UInt8]
    private let isSame: @Sendable ([UInt8], [UInt8]) -> Bool

    /// - Parameter isSame: of two arrays of one length, in a time that goes by the length alone: else the time of a refusal would
    ///   tell how much of a guess was right.
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
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// What stands for a user's password in Digest, so that the password itself need not be kept: `H(A1)` of RFC 2617, section
    /// 3.2.2.2.
    public func digestSecret(_ algorithm: DigestAlgorithm, user: String, realm: String, password: String) -> String {
        digits(algorithm, of: user, realm, password)
    }

    /// Whether both hashes are the same, told in a time that depends on their lengths alone.
    func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && isSame(left, right)
    }

    func areEqual(_ left: String, _ right: String) -> Bool { areEqual(Array(left.utf8), Array(right.utf8)) }
}
