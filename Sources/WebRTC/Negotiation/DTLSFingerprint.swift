/// The hash of a certificate, by which the two ends of a DTLS connection recognise each other (RFC 8122, section 5).
public struct DTLSFingerprint: Hashable, Sendable {
    public let algorithm: Algorithm
    public let digest: [UInt8]

    /// The hash functions that are safe enough; SHA-1 is not.
    public enum Algorithm: String, Hashable, Sendable {
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    /// - Parameter digest: 32 bytes.
    public init(sha256 digest: [UInt8]) {
        precondition(digest.count == Algorithm.sha256.byteCount, "SHA-256 has 32 bytes")
        (algorithm, self.digest) = (.sha256, digest)
    }

    /// Parses `sha-256 AB:CD:…`; `nil` if malformed, or if the algorithm is another one.
    init?(_ value: String) {
        let fields = value.fields
        guard fields.count == 2, let algorithm = Algorithm(rawValue: fields[0].lowercased()) else { return nil }
        let digest = fields[1].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .compactMap { digits in
                // The initialiser would also read a sign.
                digits.count == 2 && digits.first != UInt8(ascii: "+") ? UInt8(Substring(digits), radix: 16) : nil
            }
        guard digest.count == algorithm.byteCount, fields[1].utf8.count == 3 * digest.count - 1 else { return nil }
        (self.algorithm, self.digest) = (algorithm, digest)
    }

    /// The value of `a=fingerprint:`.
    public var attributeValue: String {
        let digits = digest.map { byte in
            (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return "\(algorithm.rawValue) \(digits.joined(separator: ":"))"
    }
}
