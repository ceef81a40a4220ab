import Wire

/// A service description section: the names of the programs (ETSI EN 300 468, 5.2.3 and 6.2.33).
///
/// ```
/// | original network, 16 bits | 8 reserved | service, 16 | flags, 8 | 4 bits, length, 12 | descriptors | service … |
/// ```
struct ServiceDescription: Hashable, Sendable {
    /// The names by program numbers. Programs without a name are left out.
    let names: [UInt16: String]

    /// `nil` for another table, or one that is not valid yet.
    init?(_ section: Section) {
        guard section.table == .serviceDescription, section.isCurrent else { return nil }
        var (names, reader) = ([UInt16: String](), ByteReader(section.body.rawSpan))
        guard reader.skip(3) else { return nil }
        while let service = reader.uint16(), reader.skip(1), let length = reader.uint16(),
            let descriptors = reader.take(Int(length & 0xFFF))
        {
            if let bytes = Descriptors(descriptors)[Descriptors.Tag.service] { names[service] = Self.name(in: bytes) }
        }
        self.names = names
    }

    /// The name in a service descriptor: a type, the name of the provider, and that of the service, each name behind its length.
    private static func name(in descriptor: [UInt8]) -> String? {
        var reader = ByteReader(descriptor.rawSpan)
        guard reader.skip(1), let provider = reader.uint8(), reader.skip(Int(provider)), let count = reader.uint8(),
            let name = reader.take(Int(count))
        else { return nil }
        return text([UInt8](name))
    }

    /// A text of DVB (annex A): what is not marked as UTF-8 is read if it is ASCII, or UTF-8 all the same, as many multiplexers write.
    private static func text(_ bytes: [UInt8]) -> String? {
        let marksUTF8 = bytes.first == 0x15
        guard marksUTF8 || bytes.first.map({ $0 >= 0x20 }) == true else { return nil }
        return String(validating: bytes.dropFirst(marksUTF8 ? 1 : 0), as: UTF8.self)
    }
}
