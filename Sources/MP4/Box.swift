import Wire

/// The type of a box: four characters (ISO/IEC 14496-12, 4.2).
struct BoxType: Hashable, Sendable, ExpressibleByStringLiteral {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(stringLiteral text: StaticString) {
        precondition(text.utf8CodeUnitCount == 4, "a box type has four characters")
        rawValue = "\(text)".utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The boxes of fragments, as constants: a literal is computed.
extension BoxType {
    static let moof = Self(rawValue: 0x6D6F_6F66)
    static let mfhd = Self(rawValue: 0x6D66_6864)
    static let traf = Self(rawValue: 0x7472_6166)
    static let tfhd = Self(rawValue: 0x7466_6864)
    static let tfdt = Self(rawValue: 0x7466_6474)
    static let trun = Self(rawValue: 0x7472_756E)
    static let mdat = Self(rawValue: 0x6D64_6174)
    static let prft = Self(rawValue: 0x7072_6674)
}

/// Boxes of init segments, which are small and rare: the size is filled in behind the content. Fragments are counted beforehand.
///
/// ```
/// +---------+---------+---------------------------------+---------+
/// | size    | type    | full boxes: version 8, flags 24 | content |
/// | 32 bits | 32 bits |                                 |         |
/// +---------+---------+---------------------------------+---------+
/// ```
extension ByteWriter {
    mutating func box(_ type: BoxType, _ content: (inout ByteWriter) -> Void) {
        let start = bytes.count
        uint32(0)
        uint32(type.rawValue)
        content(&self)
        // An init segment has at most some parameter sets of 64 KB each.
        patch(uint32: UInt32(bytes.count - start), at: start)
    }

    mutating func fullBox(
        _ type: BoxType, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout ByteWriter) -> Void
    ) {
        box(type) { writer in
            writer.uint32(UInt32(version) << 24 | flags)
            content(&writer)
        }
    }

    mutating func zeros(_ count: Int) {
        append(repeatElement(0, count: count))
    }
}
