import Wire

/// The machine-readable timestamp overlay: a frame's capture time and number, drawn into the frame as black and white cells,
/// which software reads from a screenshot of any player (docs/timestamp-overlay.md).
///
/// ```
/// 14 bytes, 28 bits to a row, most significant first; a white cell is 1
/// capture, tenths of a millisecond since 1970 (UTC), 6 | frame number, 4 | CRC-32 of these ten, 4
/// ```
public struct TimestampOverlay: Hashable, Sendable {
    /// Tenths of a millisecond since 1970, UTC. The overlay has the low 48 bits, which last until 2861.
    private let tenths: UInt64
    /// The number of the source's frame, from 0, modulo 2³². Skipped frames are counted too.
    public let frameNumber: UInt32

    private static let nanosecondsPerTenth: Int64 = 100_000

    /// - Parameter unixNanoseconds: time of capture since 1970, UTC; rounded down to 0.1 ms. Earlier times become 1970.
    public init(unixNanoseconds: Int64, frameNumber: UInt32) {
        tenths = UInt64(max(0, unixNanoseconds) / Self.nanosecondsPerTenth)
        self.frameNumber = frameNumber
    }

    /// The time of capture in nanoseconds since 1970, UTC: a multiple of 0.1 ms.
    public var unixNanoseconds: Int64 { Int64(tenths) * Self.nanosecondsPerTenth }
}

// MARK: - Bytes

extension TimestampOverlay {
    /// Includes the CRC.
    static let byteCount = 14

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.uint16(UInt16(truncatingIfNeeded: tenths >> 32))
        writer.uint32(UInt32(truncatingIfNeeded: tenths))
        writer.uint32(frameNumber)
        writer.uint32(cyclicRedundancyCheck(writer.bytes))
        return writer.bytes
    }

    /// `nil` if the CRC does not match, or if nanoseconds cannot represent the time (after 2262).
    init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, cyclicRedundancyCheck(bytes) == 0 else { return nil }
        var reader = ByteReader(bytes.rawSpan)
        guard let high = reader.uint16(), let low = reader.uint32(), let number = reader.uint32() else { return nil }
        tenths = UInt64(high) << 32 | UInt64(low)
        frameNumber = number
        guard tenths <= UInt64(Int64.max / Self.nanosecondsPerTenth) else { return nil }
    }
}
