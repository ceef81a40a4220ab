import Media
import Wire

/// A JPEG frame in the interchange format of ITU-T T.81, annex B, as decoders and files have it.
enum JPEGFrame {
    /// The frame with the headers that packets leave out (RFC 2435, appendix B).
    ///
    /// - Parameters:
    ///   - tables: one quantisation table for all components, or those for luma and chroma, in zigzag order.
    ///   - scan: the entropy-coded data. What comes behind its first marker that is no restart marker is left out: it would be read as
    ///     other headers.
    static func bytes(
        size: TranscodedFormat.PixelSize, subsampling: JPEGPayloadHeader.Subsampling, restartInterval: UInt16?,
        tables: [UInt8], scan: [UInt8]
    ) -> [UInt8] {
        let end = endOfScan(scan)
        var writer = ByteWriter(capacity: headerByteCount + end)
        writer.uint16(startOfImage)
        let count = JPEGTables.quantisationByteCount
        let chromaTable: UInt8 = tables.count > count ? 1 : 0
        for number in 0...chromaTable {
            segment(0xFFDB, &writer, [number] + tables[Int(number) * count..<(Int(number) + 1) * count])
        }
        if let restartInterval { segment(0xFFDD, &writer, bytes(of: restartInterval)) }
        // Eight bits, and three components: each with its number, its sampling factors and its quantisation table.
        let luma: UInt8 = subsampling == .both ? 0x22 : 0x21
        let components: [UInt8] = [3, 1, luma, 0, 2, 0x11, chromaTable, 3, 0x11, chromaTable]
        segment(
            0xFFC0, &writer,
            [8] + bytes(of: UInt16(clamping: size.height)) + bytes(of: UInt16(clamping: size.width)) + components)
        for table in JPEGTables.huffman { segment(0xFFC4, &writer, table) }
        // Three components, each with its Huffman tables; all coefficients.
        segment(0xFFDA, &writer, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0])
        writer.append(scan[..<end])
        writer.uint16(endOfImage)
        return writer.bytes
    }

    private static let startOfImage: UInt16 = 0xFFD8
    private static let endOfImage: UInt16 = 0xFFD9
    /// The most bytes of all headers: 623, rounded up.
    private static let headerByteCount = 640

    private static func segment(_ marker: UInt16, _ writer: inout ByteWriter, _ content: [UInt8]) {
        writer.uint16(marker)
        writer.uint16(UInt16(clamping: content.count + 2))
        writer.append(content)
    }

    private static func bytes(of number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// The index of the first marker that does not belong to a scan, such as that of the image's end.
    private static func endOfScan(_ scan: [UInt8]) -> Int {
        var index = 0
        while let found = scan[index...].firstIndex(of: 0xFF) {
            guard found + 1 < scan.count else { return found }
            switch scan[found + 1] {
            // A byte of data that equals the beginning of a marker, restart markers, and fill bytes (B.1.1.2).
            case 0x00, 0xD0...0xD7: index = found + 2
            case 0xFF: index = found + 1
            default: return found
            }
        }
        return scan.count
    }
}
