import Wire

/// SDES: names of the sources (RFC 3550, section 6.5).
public struct SourceDescription: Hashable, Sendable {
    /// The items of one source.
    public struct Chunk: Hashable, Sendable {
        public var ssrc: SSRC
        public var items: [Item]

        public init(ssrc: SSRC, items: [Item]) {
            self.ssrc = ssrc
            self.items = items
        }
    }

    /// One item: its kind and text.
    public struct Item: Hashable, Sendable {
        /// 1 CNAME, 2 NAME, 6 TOOL, … (RFC 3550, section 12.2); never 0, which ends a chunk.
        public var kind: UInt8
        /// UTF-8 if the sender follows the specification; at most 255 bytes are written.
        public var text: [UInt8]

        public init(kind: UInt8, text: [UInt8]) {
            self.kind = kind
            self.text = text
        }

        public static let canonicalNameKind: UInt8 = 1
    }

    /// At most 31 are written.
    public var chunks: [Chunk]

    public init(chunks: [Chunk]) {
        self.chunks = chunks
    }

    /// Describes one source by its canonical name, which all sources of a participant share.
    public init(ssrc: SSRC, canonicalName: String) {
        let item = Item(kind: Item.canonicalNameKind, text: [UInt8](canonicalName.utf8))
        self.init(chunks: [Chunk(ssrc: ssrc, items: [item])])
    }

    /// The canonical name of `ssrc`, if present.
    public func canonicalName(of ssrc: SSRC) -> String? {
        let items = chunks.first { $0.ssrc == ssrc }?.items
        return items?.first { $0.kind == Item.canonicalNameKind }.map { String(decoding: $0.text, as: UTF8.self) }
    }

    init?(body: RawSpan, chunkCount: Int) {
        var reader = ByteReader(body)
        var chunks: [Chunk] = []
        for _ in 0..<chunkCount {
            guard let chunk = Self.readChunk(&reader) else { return nil }
            chunks.append(chunk)
        }
        self.init(chunks: chunks)
    }

    /// Parses items up to a zero byte, then skips zeros up to a word boundary. The last chunk of some devices has no zero byte.
    @_lifetime(reader: copy reader)
    private static func readChunk(_ reader: inout ByteReader) -> Chunk? {
        guard let ssrc = reader.uint32() else { return nil }
        var items: [Item] = []
        while let kind = reader.uint8() {
            if kind == 0 {
                // The body starts at a word boundary, so offsets within it can be used.
                guard reader.skip((4 - reader.offset % 4) % 4) else { return nil }
                return Chunk(ssrc: SSRC(ssrc), items: items)
            }
            guard let length = reader.uint8(), let text = reader.take(Int(length)) else { return nil }
            items.append(Item(kind: kind, text: [UInt8](text)))
        }
        return items.isEmpty ? nil : Chunk(ssrc: SSRC(ssrc), items: items)
    }

    func write(to writer: inout ByteWriter) {
        for chunk in chunks.prefix(31) {
            writer.uint32(chunk.ssrc.rawValue)
            var byteCount = 0
            for item in chunk.items where item.kind != 0 {
                let text = item.text.prefix(255)
                writer.uint8(item.kind)
                writer.uint8(UInt8(text.count))
                writer.append(text)
                byteCount += 2 + text.count
            }
            // At least one zero ends the chunk.
            for _ in 0..<(4 - byteCount % 4) { writer.uint8(0) }
        }
    }
}
