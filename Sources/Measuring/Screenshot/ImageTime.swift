/// When an image was taken, and the source of that time.
public struct ImageTime: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable, Encodable {
        /// The user.
        case given
        case exif
        /// PNG's tIME chunk.
        case png
        /// The modification time of the file.
        case modification

        var sentence: String {
            switch self {
            case .given: "as given"
            case .exif: "by its EXIF data"
            case .png: "by its tIME chunk"
            case .modification: "by its modification time, which is when the file was written"
            }
        }
    }

    public let source: Source
    public let time: WrittenTime

    /// The best known time: the user's, else the image's, else the file's modification time.
    init(given: WrittenTime?, bytes: [UInt8], modified: WrittenTime) {
        if let given {
            // A time such as 15:04:05 from the user is exact.
            time = WrittenTime(unixNanoseconds: given.unixNanoseconds, resolution: 1, namesZone: given.namesZone)
            source = .given
        } else if let exif = Self.jpegExif(bytes) ?? Self.pngChunk("eXIf", in: bytes).flatMap({ ExifTime(tiff: $0) }) {
            (source, time) = (.exif, exif.time)
        } else if let written = Self.pngChunk("tIME", in: bytes).flatMap(Self.time) {
            (source, time) = (.png, written)
        } else {
            (source, time) = (.modification, modified)
        }
    }
}

// MARK: - PNG

extension ImageTime {
    /// The content of the first chunk of a type (W3C PNG, section 5.3).
    private static func pngChunk(_ type: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        var offset = 8
        while bytes.count - offset >= 12 {
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count - offset - 12 >= length else { return nil }
            let content = bytes[offset + 8..<offset + 8 + length]
            if bytes[offset + 4..<offset + 8].elementsEqual(type.utf8) { return content }
            offset += 12 + length
        }
        return nil
    }

    /// Year, two bytes, then month, day, hour, minute and second, UTC (section 11.3.6).
    private static func time(_ chunk: ArraySlice<UInt8>) -> WrittenTime? {
        guard chunk.count == 7 else { return nil }
        let fields = Array(chunk).map { Int($0) }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(fields[0] << 8 | fields[1])-\(two(fields[2]))-\(two(fields[3]))"
        return WrittenTime("\(date)T\(two(fields[4])):\(two(fields[5])):\(two(fields[6]))Z")
    }
}

// MARK: - JPEG

extension ImageTime {
    /// EXIF data of the first APP1 segment that contains it, before the image data (ITU-T T.81, annex B).
    private static func jpegExif(_ bytes: [UInt8]) -> ExifTime? {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var offset = 2
        while bytes.count - offset >= 4, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
            let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            guard length >= 2, bytes.count - offset - 2 >= length else { return nil }
            let content = bytes[offset + 4..<offset + 2 + length]
            if bytes[offset + 1] == 0xE1, content.starts(with: Array("Exif\0\0".utf8)) {
                return ExifTime(tiff: content.dropFirst(6))
            }
            offset += 2 + length
        }
        return nil
    }
}
