/// An IP address as a number.
///
/// An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) becomes the IPv4 address.
public enum IPAddress: Hashable, Sendable {
    case ipv4(UInt32)
    case ipv6(UInt128)

    public static let loopback6 = Self.ipv6(1)

    /// Reads a literal without brackets and scope; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        if let bits = Self.bits(ofIPv4: text[...]) {
            self = .ipv4(bits)
        } else if let groups = Self.groups(ofIPv6: text) {
            let bits = groups.reduce(UInt128(0)) { $0 << 16 | UInt128($1) }
            self = bits >> 32 == 0xFFFF ? .ipv4(UInt32(truncatingIfNeeded: bits)) : .ipv6(bits)
        } else {
            return nil
        }
    }

    /// Reads `192.0.2.7`. Leading zeros are not allowed, because some programs read them as octal.
    private static func bits(ofIPv4 text: Substring) -> UInt32? {
        let pieces = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        let octets = pieces.compactMap { piece -> UInt8? in
            guard piece == "0" || piece.utf8.first != UInt8(ascii: "0") else { return nil }
            return piece.decimal(maximumDigits: 3).flatMap(UInt8.init(exactly:))
        }
        guard pieces.count == 4, octets.count == 4 else { return nil }
        return octets.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The eight groups of an IPv6 address, in any of its spellings (RFC 4291, section 2.2).
    private static func groups(ofIPv6 text: String) -> [UInt16]? {
        let bytes = text.utf8
        let colon = UInt8(ascii: ":")
        guard
            let gap = zip(bytes.indices, bytes.indices.dropFirst()).first(where: {
                bytes[$0] == colon && bytes[$1] == colon
            })
        else {
            return Self.groups(text[...]).flatMap { $0.count == 8 ? $0 : nil }
        }
        // An IPv4 address may only come last, so the part before the gap contains none.
        guard !bytes[..<gap.0].contains(UInt8(ascii: ".")), let high = groups(text[..<gap.0]),
            let low = groups(Substring(bytes[gap.1...].dropFirst())), high.count + low.count < 8
        else { return nil }
        return high + Array(repeating: 0, count: 8 - high.count - low.count) + low
    }

    /// The groups of a part without a gap; an IPv4 address at its end counts as two groups.
    private static func groups(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var pieces = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Substring.init)
        var tail: [UInt16] = []
        if let last = pieces.last, let bits = bits(ofIPv4: last) {
            pieces.removeLast()
            tail = [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
        }
        let groups = pieces.compactMap { piece -> UInt16? in
            guard (1...4).contains(piece.utf8.count), piece.utf8.allSatisfy({ $0.hexadecimalValue != nil }) else {
                return nil
            }
            return UInt16(piece, radix: 16)
        }
        return groups.count == pieces.count ? groups + tail : nil
    }
}

extension IPAddress {
    /// The addresses that count as one client: an IPv4 address, or the /64 network of an IPv6 address, because a host chooses the
    /// other 64 bits itself (RFC 4291, section 2.5.1; RFC 8981).
    public var clientNetwork: Self {
        switch self {
        case .ipv4: self
        case .ipv6(let bits): .ipv6(bits & (UInt128.max << 64))
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text; IPv6 is not shortened.
    public var description: String {
        switch self {
        case .ipv4(let bits): (0..<4).reversed().map { "\(bits >> (8 * UInt32($0)) & 0xFF)" }.joined(separator: ".")
        case .ipv6(let bits):
            (0..<8).reversed().map { String(bits >> (16 * UInt128($0)) & 0xFFFF, radix: 16) }.joined(separator: ":")
        }
    }
}
