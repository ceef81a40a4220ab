/// The time at which a picture was taken, as EXIF has it (CIPA DC-008, section 4.6): of JPEG's APP1 and PNG's eXIf.
struct ExifTime {
    let time: WrittenTime

    /// - Parameter bytes: a TIFF header, and what it points to.
    init?(tiff bytes: ArraySlice<UInt8>) {
        guard let tiff = TIFF(bytes), let main = tiff.main else { return nil }
        let details = main[Tag.details].flatMap { tiff.directory(at: $0.value) } ?? [:]
        let original = Self.text(tiff, details, Tag.originalTime, Tag.originalFraction, Tag.originalZone)
        let saved = Self.text(tiff, main.merging(details) { $1 }, Tag.time, Tag.fraction, Tag.zone)
        guard let time = (original ?? saved).flatMap({ WrittenTime($0) }) else { return nil }
        self.time = time
    }

    private enum Tag {
        static let details = 0x8769
        static let (time, originalTime) = (0x0132, 0x9003)
        static let (zone, originalZone) = (0x9010, 0x9011)
        static let (fraction, originalFraction) = (0x9290, 0x9291)
    }

    /// `2026:11:21 15:04:05`, and what other entries add to that; `nil` where one is damaged.
    private static func text(
        _ tiff: TIFF, _ entries: [Int: TIFF.Entry], _ time: Int, _ fraction: Int, _ zone: Int
    ) -> String? {
        func text(_ tag: Int) -> String? { entries[tag].map(tiff.text) ?? "" }
        guard let seconds = text(time), let digits = text(fraction), let zone = text(zone) else { return nil }
        return seconds + (digits.isEmpty ? "" : "." + digits) + zone
    }
}

/// The directories of a TIFF file (TIFF 6.0, section 2), as far as EXIF's times need them.
private struct TIFF {
    struct Entry {
        let count: Int
        let value: Int
        /// Where the value itself is.
        let place: Int
    }

    private let bytes: [UInt8]
    private let isLittleEndian: Bool
    /// A directory has some dozens.
    private static let mostEntries = 512

    init?(_ slice: ArraySlice<UInt8>) {
        bytes = Array(slice)
        isLittleEndian = bytes.starts(with: [0x49, 0x49, 0x2A, 0x00])
        guard isLittleEndian || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
    }

    /// The main one.
    var main: [Int: Entry]? { number(at: 4, byteCount: 4).flatMap(directory) }

    /// By tag; `nil` where it lies beyond the end.
    func directory(at place: Int) -> [Int: Entry]? {
        guard let count = number(at: place, byteCount: 2), count <= Self.mostEntries else { return nil }
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let place = place + 2 + 12 * index
            guard let tag = number(at: place, byteCount: 2), let length = number(at: place + 4, byteCount: 4),
                let value = number(at: place + 8, byteCount: 4)
            else { return nil }
            entries[tag] = Entry(count: length, value: value, place: place + 8)
        }
        return entries
    }

    /// Without what pads it.
    func text(_ entry: Entry) -> String? {
        let place = entry.count <= 4 ? entry.place : entry.value
        guard entry.count <= 64, place <= bytes.count, bytes.count - place >= entry.count else { return nil }
        let text = bytes[place..<place + entry.count].prefix { $0 != 0 }
        return String(decoding: text, as: UTF8.self).trimmingTrailingBlanks
    }

    private func number(at place: Int, byteCount: Int) -> Int? {
        guard place >= 0, place <= bytes.count, bytes.count - place >= byteCount else { return nil }
        let own = bytes[place..<place + byteCount]
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
