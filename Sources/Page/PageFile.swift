import CPage

/// A file of the web page. All of them are part of the binary.
public struct PageFile: Hashable, Sendable {
    /// Its path below `/page/`, such as `styles/theme.css`.
    public let name: String
    private let index: Int

    /// The files by their names.
    public static let all: [String: Self] = Dictionary(
        uniqueKeysWithValues: files.indices.map { index in
            let name = String(cString: files[index].name)
            return (name, Self(name: name, index: index))
        })

    private static var files: UnsafeBufferPointer<PageFileData> {
        UnsafeBufferPointer(start: pageFileData(), count: Int(pageFileDataCount))
    }

    /// A copy of its content.
    public var bytes: [UInt8] {
        let file = Self.files[index]
        return Array(UnsafeBufferPointer(start: file.bytes, count: Int(file.byteCount)))
    }

    /// The media type by the end of its name.
    public var contentType: String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    /// A strong validator of its content (RFC 9110, section 8.8.3), with its quotes.
    public var entityTag: String {
        // FNV-1a with 64 bits. Only versions of the same file are told apart by it.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return "\"\(String(hash, radix: 16))\""
    }
}
