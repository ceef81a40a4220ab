import Wire

/// The descriptors of an elementary stream in the program map (ISO/IEC 13818-1, 2.6.1): pairs of a tag and bytes.
struct Descriptors: Hashable, Sendable {
    enum Tag {
        /// format_identifier of four characters, and more bytes of that format (2.6.8).
        static let registration: UInt8 = 0x05
        /// DVB: the kind and the names of a service (ETSI EN 300 468, 6.2.33).
        static let service: UInt8 = 0x48
        /// DVB: a further tag, and bytes (ETSI EN 300 468, 6.2.16).
        static let dvbExtension: UInt8 = 0x7F
    }

    private let all: [(tag: UInt8, bytes: [UInt8])]

    /// Descriptors that are cut short are left out.
    init(_ bytes: RawSpan) {
        var (all, reader) = ([(tag: UInt8, bytes: [UInt8])](), ByteReader(bytes))
        while let tag = reader.uint8(), let length = reader.uint8(), let bytes = reader.take(Int(length)) {
            all.append((tag, [UInt8](bytes)))
        }
        self.all = all
    }

    /// The bytes of the first descriptor with this tag.
    subscript(tag: UInt8) -> [UInt8]? { all.first { $0.tag == tag }?.bytes }

    /// The bytes of the first DVB extension with this further tag.
    func dvbExtension(_ tag: UInt8) -> [UInt8]? {
        all.first { $0.tag == Tag.dvbExtension && $0.bytes.first == tag }.map { Array($0.bytes.dropFirst()) }
    }

    /// The format identifier of the registration, such as `Opus`; `nil` if there is none of printable characters.
    var registration: String? {
        guard let bytes = self[Tag.registration]?.prefix(4), bytes.count == 4,
            bytes.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func == (left: Self, right: Self) -> Bool {
        left.all.elementsEqual(right.all) { $0.tag == $1.tag && $0.bytes == $1.bytes }
    }

    func hash(into hasher: inout Hasher) {
        for descriptor in all {
            hasher.combine(descriptor.tag)
            hasher.combine(descriptor.bytes)
        }
    }
}
