/// The time at which an image was taken, by its EXIF data (CIPA DC-008, section 4.6) in JPEG's APP1 or PNG's eXIf.
struct ExifTime {
    let time: WrittenTime

    /// - Parameter bytes: a TIFF header, and the data that it refers to.
    init?(tiff bytes: ArraySlice<UInt8>) {
        guard let tiff = TIFF(bytes), let main = tiff.main else { return nil }
        let details = main[Tag.details].flatMap { tiff.directory(at: $0.value) } ?? [:]
        let original = Self.text(
            tiff, details, time: Tag.originalTime, fraction: Tag.originalFraction, zone: Tag.originalZone)
        let saved = Self.text(
            tiff, main.merging(details) { $1 }, time: Tag.time, fraction: Tag.fraction, zone: Tag.zone)
        guard let time = (original ?? saved).flatMap({ WrittenTime($0) }) else { return nil }
        self.time = time
    }

    private enum Tag {
        static let details = 0x8769
        static let (time, originalTime) = (0x0132, 0x9003)
        static let (zone, originalZone) = (0x9010, 0x9011)
        static let (fraction, originalFraction) = (0x9290, 0x9291)
    }

    /// `2026:11:21 15:04:05` with the fraction and the zone of other entries; `nil` if an entry is damaged.
    private static func text(
        _ tiff: TIFF, _ entries: [Int: TIFF.Entry], time: Int, fraction: Int, zone: Int
    ) -> String? {
        func text(_ tag: Int) -> String? { entries[tag].map(tiff.text) ?? "" }
        guard let seconds = text(time), let digits = text(fraction), let zone = text(zone) else { return nil }
        return seconds + (digits.isEmpty ? "" : "." + digits) + zone
    }
}

/// The directories of a TIFF file (TIFF 6.0, section 2), as far as EXIF times need them.
private struct TIFF {
    struct Entry {
        let count: Int
        let value: Int
        /// The offset of the value itself.
        let offset: Int
    }

    private let bytes: [UInt8]
    private let isLittleEndian: Bool
    /// Real directories have some dozens.
    private static let mostEntries = 512

    init?(_ slice: ArraySlice<UInt8>) {
        bytes = Array(slice)
        isLittleEndian = bytes.starts(with: [0x49, 0x49, 0x2A, 0x00])
        guard isLittleEndian || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
    }

    /// The main directory.
    var main: [Int: Entry]? { number(at: 4, byteCount: 4).flatMap(directory) }

    /// The entries of a directory by tag; `nil` if it extends beyond the end.
    func directory(at offset: Int) -> [Int: Entry]? {
        guard let count = number(at: offset, byteCount: 2), count <= Self.mostEntries else { return nil }
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let offset = offset + 2 + 12 * index
            guard let tag = number(at: offset, byteCount: 2), let length = number(at: offset + 4, byteCount: 4),
                let value = number(at: offset + 8, byteCount: 4)
            else { return nil }
            entries[tag] = Entry(count: length, value: value, offset: offset + 8)
        }
        return entries
    }

    /// The text of an entry, without padding.
    func text(_ entry: Entry) -> String? {
        let offset = entry.count <= 4 ? entry.offset : entry.value
        guard entry.count <= 64, offset <= bytes.count, bytes.count - offset >= entry.count else { return nil }
        let text = bytes[offset..<offset + entry.count].prefix { $0 != 0 }
        return String(decoding: text, as: UTF8.self).trimmingTrailingBlanks
    }

    private func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count, bytes.count - offset >= byteCount else { return nil }
        let own = bytes[offset..<offset + byteCount]
        return (isLittleEndian ? Array(own.reversed()) : Array(own)).reduce(0) { $0 << 8 | Int($1) }
    }
}

extension String {
    fileprivate var trimmingTrailingBlanks: String {
        var scalars = unicodeScalars[...]
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }
}
