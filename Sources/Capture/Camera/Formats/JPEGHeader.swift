/// What must be known of a JPEG picture before a decoder gets it (ITU-T T.81, annex B).
///
/// Cameras send pictures that were cut off on the bus, and sizes that they did not promise; a decoder would show the first
/// half grey, and make room for the second.
struct JPEGHeader: Hashable, Sendable {
    let width: Int
    let height: Int
    /// Whether the end marker is there: at the end, or before padding.
    let isComplete: Bool

    /// `nil` unless the picture begins as one, and names its size.
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

    /// SOF0 to SOF15, without the tables DHT, JPG and DAC among them.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Cameras pad with zeros, or fill whole USB packets.
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
