import CSRTPCiphers
import RTP
import Wire

@testable import SRTP

/// Parses hexadecimal digits; blanks are ignored.
func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8.filter { $0 != 0x20 && $0 != 0x0A })
    return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16) ?? 0
    }
}

extension MasterKey {
    static func fixture(_ suite: CipherSuite, identifier: [UInt8] = [], seed: UInt8 = 0) -> MasterKey {
        let material = (0..<(16 + suite.saltByteCount)).map { UInt8($0) &* 7 &+ seed }
        // The key has the suite's length, so that this never fails.
        return MasterKey(suite, material: material, identifier: identifier)!
    }
}

extension Cipher {
    /// Creates a cipher from session keys of a specification, without derivation.
    convenience init(
        _ suite: CipherSuite, _ direction: Direction, key: [UInt8], authentication: [UInt8] = [], salt: [UInt8]
    ) throws {
        if let reason = apus_load_srtp(suite.mode) { throw SRTPFailure.noLibrary(String(cString: reason)) }
        let padded = authentication + [UInt8](repeating: 0, count: 20 - authentication.count)
        try self.init(SessionKeys(encryption: key, authentication: padded, salt: salt), suite, direction)
    }

    /// Returns the encrypted payload followed by the tag.
    func sealed(
        _ payload: [UInt8], index: UInt64, ssrc: UInt32, header: [UInt8] = [], trailer: [UInt8] = []
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: payload.count + suite.tagByteCount)
        sealed.withUnsafeMutableBytes { place in
            payload.withUnsafeBytes { payload in
                header.withUnsafeBytes { header in
                    trailer.withUnsafeBytes { trailer in
                        // A non-empty array has a base address.
                        let start = place.baseAddress!
                        seal(
                            payload, index: index, ssrc: ssrc, header: header, trailer: trailer, to: start,
                            tag: start + payload.count)
                    }
                }
            }
        }
        return sealed
    }
}

extension OutgoingProtection {
    /// Returns the protected bytes after the header.
    func sealed(_ payload: [UInt8], header: [UInt8], index: UInt64) -> [UInt8] {
        var sealed = [UInt8](repeating: 0xEE, count: payload.count + overhead)
        sealed.withUnsafeMutableBytes { place in
            payload.withUnsafeBytes { payload in
                header.withUnsafeBytes { header in
                    seal(payload, header: header, index: index, to: place.baseAddress!)
                }
            }
        }
        return sealed
    }
}

extension IncomingReports {
    func opened(_ report: [UInt8]) -> [UInt8]? {
        guard let plain = opened(report.rawSpan) else { return nil }
        return [UInt8](plain)
    }
}
