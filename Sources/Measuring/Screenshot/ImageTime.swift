/// When an image was taken, and who says so.
public struct ImageTime: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable, Encodable {
        /// Who measures.
        case given
        case exif
        /// PNG's tIME chunk.
        case png
        /// The file's: when it was written.
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

    /// The best that is known: what was given, what the image says, when the file was written.
    init(given: WrittenTime?, bytes: [UInt8], modified: WrittenTime) {
        if let given {
            // Who writes 15:04:05 means that very instant.
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
    /// What the first chunk of a type holds (W3C PNG, section 5.3).
    private static func pngChunk(_ type: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        var place = 8
        while bytes.count - place >= 12 {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count - place - 12 >= length else { return nil }
            let content = bytes[place + 8..<place + 8 + length]
            if bytes[place + 4..<place + 8].elementsEqual(type.utf8) { return content }
            place += 12 + length
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
    /// EXIF of the first APP1 segment that has it, before the picture's own data (ITU-T T.81, annex B).
    private static func jpegExif(_ bytes: [UInt8]) -> ExifTime? {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while bytes.count - place >= 4, bytes[place] == 0xFF, bytes[place + 1] != 0xDA {
            let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
            guard length >= 2, bytes.count - place - 2 >= length else { return nil }
            let content = bytes[place + 4..<place + 2 + length]
            if bytes[place + 1] == 0xE1, content.starts(with: Array("Exif\0\0".utf8)) {
                return ExifTime(tiff: content.dropFirst(6))
            }
            place += 2 + length
        }
        return nil
    }
}
