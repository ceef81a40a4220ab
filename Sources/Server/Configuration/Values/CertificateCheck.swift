import TLS

/// Which certificate of another server is accepted: `verify`, `any`, or `fingerprint:` and the 64 digits of its SHA-256 digest.
public struct CertificateCheck: Hashable, Sendable {
    static let verify = Self(certificates: .verified)
    static let expectation = "verify, any, or fingerprint: and 64 hexadecimal digits"

    let certificates: TLSClient.Certificates

    private init(certificates: TLSClient.Certificates) {
        self.certificates = certificates
    }

    /// `nil` if the text is none of these. Digits may be separated by colons, as OpenSSL prints them.
    init?(_ text: String) {
        switch text {
        case "verify": certificates = .verified
        case "any": certificates = .any
        default:
            guard text.hasPrefix("fingerprint:") else { return nil }
            let digits = text.dropFirst("fingerprint:".count).filter { $0 != ":" }
            guard digits.utf8.count == 64 else { return nil }
            var bytes: [UInt8] = []
            for offset in stride(from: 0, to: 64, by: 2) {
                let start = digits.index(digits.startIndex, offsetBy: offset)
                let pair = digits[start..<digits.index(start, offsetBy: 2)]
                guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else { return nil }
                bytes.append(byte)
            }
            certificates = .fingerprint(bytes)
        }
    }

    var text: String {
        switch certificates {
        case .verified: "verify"
        case .any: "any"
        case .fingerprint(let bytes):
            "fingerprint:" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }
}
