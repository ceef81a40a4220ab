/// The hash that Digest is computed with (RFC 7616, section 3.3).
public enum DigestAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// RFC 2617's, and the only one that ffmpeg, live555 and go2rtc know.
    case md5 = "MD5"
    case sha256 = "SHA-256"

    /// Hexadecimal digits of a hash.
    public var digitCount: Int { self == .md5 ? 32 : 64 }

    /// The algorithm of that name, in any case.
    init?(named name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else { return nil }
        self = algorithm
    }
}

/// The hash functions that authentication needs. This room is given them, as it is given time and random numbers.
public struct HashFunctions: Sendable {
    /// RFC 1321: 16 bytes.
    public let md5: @Sendable ([UInt8]) -> [UInt8]
    /// FIPS 180-4: 32 bytes.
    public let sha256: @Sendable ([UInt8]) -> [UInt8]
    /// The key that a password and a salt are stretched to, for passwords that are stored so.
    public let stretched: @Sendable (_ password: [UInt8], _ salt: [UInt8]) -> [UInt8]

    public init(
        md5: @escaping @Sendable ([UInt8]) -> [UInt8], sha256: @escaping @Sendable ([UInt8]) -> [UInt8],
        stretched: @escaping @Sendable (_ password: [UInt8], _ salt: [UInt8]) -> [UInt8]
    ) {
        self.md5 = md5
        self.sha256 = sha256
        self.stretched = stretched
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
}

/// Whether both texts are the same, told in a time that depends on their lengths alone: else the time of a refusal would tell
/// how much of a guess was right.
@inline(never)
func isSameInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
