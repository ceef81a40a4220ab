extension SATIP {
    /// Where the media of a client goes whose connection comes from `address`; `nil` where it can go nowhere.
    ///
    /// VLC 3.0's satip access receives on IPv4 sockets only. Of an IPv6 address that is known where it is the IPv4
    /// address in disguise (RFC 4291, section 2.5.5.2), or this very machine.
    ///
    /// - Parameter address: a literal without brackets and scope, as ``Endpoint/address``.
    public static func mediaAddress(forPeer address: String) -> String? {
        if octets(ofIPv4: address[...]) != nil { return address }
        guard let groups = groups(ofIPv6: address) else { return nil }
        if groups == [0, 0, 0, 0, 0, 0, 0, 1] { return "127.0.0.1" }
        guard groups.prefix(6) == [0, 0, 0, 0, 0, 0xFFFF] else { return nil }
        return groups.suffix(2).map { "\($0 >> 8).\($0 & 0xFF)" }.joined(separator: ".")
    }

    /// The four numbers of `192.0.2.7`; none has a zero in front, which some would read as octal.
    private static func octets(ofIPv4 text: Substring) -> [UInt8]? {
        let pieces = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        let octets = pieces.compactMap { piece -> UInt8? in
            guard piece == "0" || piece.utf8.first != UInt8(ascii: "0") else { return nil }
            return piece.decimal(maximumDigits: 3).flatMap(UInt8.init(exactly:))
        }
        return pieces.count == 4 && octets.count == 4 ? octets : nil
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
        // What stands before the gap holds no IPv4 address: that comes last.
        guard !bytes[..<gap.0].contains(UInt8(ascii: ".")), let high = groups(text[..<gap.0]),
            let low = groups(Substring(bytes[gap.1...].dropFirst())), high.count + low.count < 8
        else { return nil }
        return high + Array(repeating: 0, count: 8 - high.count - low.count) + low
    }

    /// The groups of a part without a gap; an IPv4 address at its end makes two.
    private static func groups(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var pieces = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Substring.init)
        var tail: [UInt16] = []
        if let last = pieces.last, let octets = octets(ofIPv4: last) {
            pieces.removeLast()
            tail = [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
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
