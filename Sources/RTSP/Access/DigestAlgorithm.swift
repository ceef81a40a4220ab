/// The hash function of Digest (RFC 7616, section 3.3).
public enum DigestAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// The algorithm of RFC 2617, the only one that ffmpeg, live555 and go2rtc support.
    case md5 = "MD5"
    case sha256 = "SHA-256"

    /// Hexadecimal digits of a hash.
    public var digitCount: Int { self == .md5 ? 32 : 64 }

    /// Finds the algorithm by its name, ignoring case.
    init?(named name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.equalsIgnoringCase(name) }) else { return nil }
        self = algorithm
    }
}
