/// The tables of JPEG that packets do not carry: those of ITU-T T.81, annex K, which RFC 2435 prescribes.
enum JPEGTables {
    /// Bytes of a quantisation table with 8-bit values.
    static let quantisationByteCount = 64

    /// The quantisation tables for luma and chroma of a quality of 1 to 99, in zigzag order (RFC 2435, appendix A).
    static func quantisation(quality: UInt8) -> [UInt8] {
        let quality = Int(quality)
        let scale = quality < 50 ? 5_000 / quality : 200 - 2 * quality
        return (luma + chroma).map { UInt8(clamping: max(1, (Int($0) * scale + 50) / 100)) }
    }

    /// A Huffman table as in a DHT segment: class and number, how many codes each length has, and their values.
    static let huffman: [[UInt8]] = [
        [0x00, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0] + directValues,
        [0x10, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D] + lumaValues,
        [0x01, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0] + directValues,
        [0x11, 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77] + chromaValues,
    ]

    /// Table K.1 in zigzag order.
    private static let luma: [UInt8] = [
        16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51,
        61,
        60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113,
        121, 112, 100, 120, 92, 101, 103, 99,
    ]
    /// Table K.2 in zigzag order.
    private static let chroma: [UInt8] =
        [17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66] + [UInt8](repeating: 99, count: 50)

    /// Tables K.3 and K.4.
    private static let directValues = [UInt8](0...11)
    /// Table K.5.
    private static let lumaValues: [UInt8] =
        [
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
            0x82, 0x09, 0x0A,
        ]
        + rows([
            0x16...0x1A, 0x25...0x2A, 0x34...0x3A, 0x43...0x4A, 0x53...0x5A, 0x63...0x6A, 0x73...0x7A, 0x83...0x8A,
            0x92...0x9A, 0xA2...0xAA, 0xB2...0xBA, 0xC2...0xCA, 0xD2...0xDA, 0xE1...0xEA, 0xF1...0xFA,
        ])
    /// Table K.6.
    private static let chromaValues: [UInt8] =
        [
            0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
            0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1,
            0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
        ]
        + rows([
            0x17...0x1A, 0x26...0x2A, 0x35...0x3A, 0x43...0x4A, 0x53...0x5A, 0x63...0x6A, 0x73...0x7A, 0x82...0x8A,
            0x92...0x9A, 0xA2...0xAA, 0xB2...0xBA, 0xC2...0xCA, 0xD2...0xDA, 0xE2...0xEA, 0xF2...0xFA,
        ])

    private static func rows(_ rows: [ClosedRange<UInt8>]) -> [UInt8] { rows.flatMap(Array.init) }
}
