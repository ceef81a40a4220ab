import Wire

/// The headers in front of a fragment of a JPEG frame (RFC 2435, section 3.1).
///
///     type-specific (8) | fragment offset (24)
///     type (8) | Q (8) | width / 8 (8) | height / 8 (8)
///     restart interval (16) | F, L, restart count (16)      only for types 64 to 127
///     zero (8) | precision (8) | length (16) | tables       only with Q ≥ 128, in the first fragment
struct JPEGPayloadHeader: Sendable {
    /// What a frame has in all of its fragments.
    struct Frame: Hashable, Sendable {
        let subsampling: Subsampling
        /// 1 to 99: the tables follow from it. 128 to 254: a number of tables that are sent at least once. 255: tables that each frame
        /// has.
        let quality: UInt8
        /// In blocks of eight pixels; 0 for a frame that is too large for this field.
        let width: UInt8
        let height: UInt8
        /// The number of blocks between two restart markers; `nil` if there are none.
        let restartInterval: UInt16?
    }

    enum Subsampling: Hashable, Sendable {
        /// 4:2:2, types 0 and 64.
        case horizontal
        /// 4:2:0, types 1 and 65.
        case both
    }

    /// The place of the fragment in the frame's entropy-coded data.
    let offset: Int
    let frame: Frame
    /// The bytes of one or two quantisation tables in zigzag order; empty if there are none.
    let tables: [UInt8]

    /// Reads the headers; `nil` if they are malformed or name what is reserved or not supported. The rest is the fragment's data.
    ///
    /// The type-specific field tells fields of interlaced video from frames. It is not read, as in FFmpeg: no known camera sends fields.
    @_lifetime(reader: copy reader)
    init?(_ reader: inout ByteReader) {
        guard reader.skip(1), let offset = reader.uint24(), let type = reader.uint8(), let quality = reader.uint8(),
            let width = reader.uint8(), let height = reader.uint8()
        else { return nil }
        let subsampling: Subsampling
        switch type & 0x3F {
        case 0: subsampling = .horizontal
        case 1: subsampling = .both
        default: return nil
        }
        // 100 to 127 are reserved, types from 128 on are dynamic.
        guard type < 128, (1...99).contains(quality) || quality >= 128 else { return nil }
        var restartInterval: UInt16?
        if type >= 64 {
            restartInterval = reader.uint16()
            guard reader.skip(2) else { return nil }
        }
        self.offset = Int(offset)
        frame = Frame(
            subsampling: subsampling, quality: quality, width: width, height: height,
            restartInterval: restartInterval == 0 ? nil : restartInterval)
        guard offset == 0, quality >= 128 else {
            tables = []
            return
        }
        guard let tables = Self.tables(&reader) else { return nil }
        // Tables that change with each frame cannot be left out.
        if quality == 255, tables.isEmpty { return nil }
        self.tables = tables
    }

    /// The tables of 8-bit values; `nil` if there are others.
    @_lifetime(reader: copy reader)
    private static func tables(_ reader: inout ByteReader) -> [UInt8]? {
        guard reader.skip(1), let precision = reader.uint8(), let length = reader.uint16(),
            let bytes = reader.take(Int(length))
        else { return nil }
        if length == 0 { return [] }
        let count = JPEGTables.quantisationByteCount
        guard precision == 0, length >= count, length < 2 * count ? length == count : true else { return nil }
        return [UInt8](bytes.extracting(first: min(Int(length), 2 * count)))
    }
}
