/// The header of a JPEG image, which is checked before decoding (ITU-T T.81, annex B).
///
/// Cameras send images that were truncated on the bus, or that differ in size from the negotiated one. A decoder would show the
/// missing part of the former in grey, and allocate memory for the latter.
struct JPEGHeader: Hashable, Sendable {
    let width: Int
    let height: Int
    /// Whether the end marker was found at the end or before padding.
    let isComplete: Bool

    /// `nil` unless the bytes begin with a JPEG header that gives the size.
    init?(parsing bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var index = 2
        while index + 9 <= bytes.count, bytes[index] == 0xFF {
            let marker = bytes[index + 1]
            // Fill bytes may precede any marker.
            if marker == 0xFF {
                index += 1
                continue
            }
            if Self.isFrameHeader(marker) {
                height = Int(bytes[index + 5]) << 8 | Int(bytes[index + 6])
                width = Int(bytes[index + 7]) << 8 | Int(bytes[index + 8])
                isComplete = Self.endsWithMarker(bytes)
                return
            }
            index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
        }
        return nil
    }

    /// SOF0 to SOF15, except DHT, JPG and DAC, which lie in the same range.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Searches the last 4 KB, because cameras pad with zeros or up to whole USB packets.
    private static func endsWithMarker(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = bytes.count - 1
        let lowest = max(1, bytes.count - 4096)
        while index >= lowest {
            if bytes[index] == 0xD9 && bytes[index - 1] == 0xFF { return true }
            index -= 1
        }
        return false
    }
}
