import Wire

/// When a picture was captured, and its number, as it stands in the picture itself: cells of black and white, which machines
/// read from a screenshot of whatever shows the picture (docs/block-code.md).
///
/// ```
/// 14 bytes, 28 bits to a row, most significant first; a white cell is 1
/// capture, tenths of a millisecond since 1970 (UTC), 6 | frame number, 4 | CRC-32 of these ten, 4
/// ```
public struct TimestampOverlay: Hashable, Sendable {
    /// Tenths of a millisecond since 1970, UTC; the low 48 bits are in the picture, which last until 2861.
    private let tenths: UInt64
    /// Of the source's pictures from 0, those that were left out counted, modulo 2³².
    public let frameNumber: UInt32

    private static let nanosecondsPerTenth: Int64 = 100_000

    /// - Parameter unixNanoseconds: when it was captured, since 1970, UTC: rounded down to 0.1 ms. Before 1970 it is 1970.
    public init(unixNanoseconds: Int64, frameNumber: UInt32) {
        tenths = UInt64(max(0, unixNanoseconds) / Self.nanosecondsPerTenth)
        self.frameNumber = frameNumber
    }

    /// When it was captured, in nanoseconds since 1970, UTC. Whole tenths of a millisecond.
    public var unixNanoseconds: Int64 { Int64(tenths) * Self.nanosecondsPerTenth }
}

// MARK: - As bytes

extension TimestampOverlay {
    /// With the CRC.
    static let byteCount = 14

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.uint16(UInt16(truncatingIfNeeded: tenths >> 32))
        writer.uint32(UInt32(truncatingIfNeeded: tenths))
        writer.uint32(frameNumber)
        writer.uint32(cyclicRedundancyCheck(writer.bytes))
        return writer.bytes
    }

    /// `nil` where the CRC is another, or the time is later than can be told in nanoseconds (2262).
    init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, cyclicRedundancyCheck(bytes) == 0 else { return nil }
        var reader = ByteReader(bytes.rawSpan)
        guard let high = reader.uint16(), let low = reader.uint32(), let number = reader.uint32() else { return nil }
        tenths = UInt64(high) << 32 | UInt64(low)
        frameNumber = number
        guard tenths <= UInt64(Int64.max / Self.nanosecondsPerTenth) else { return nil }
    }
}
