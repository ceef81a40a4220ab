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
