import Wire

/// The times when a frame was captured and encoded, sent with the frame as SEI user data (docs/timestamps.md).
///
/// ```
/// identifier, 16 bytes | version 1 | flags 0 | frame number, 4 | capture, NTP, 8 | capture, monotonic, 8
/// | capture → encoding begins, 4 | capture → encoding ends, 4                                      all in network byte order
/// ```
/// The monotonic clock is the sender's CLOCK_MONOTONIC in nanoseconds, so it is useful on the same machine only. Durations are
/// in microseconds; a field with all bits set means unknown, or longer than 71 minutes.
public struct CaptureTimestamp: Hashable, Sendable {
    /// The number of the source's frame, from 0, modulo 2³². Skipped frames are counted too.
    public var frameNumber: UInt32
    public var wallClock: NTPTime
    public var monotonic: MonotonicTime
    /// From capture until the frame was given to the encoder, in microseconds.
    public var encodingBegins: UInt32?
    /// From capture until the frame was encoded, in microseconds.
    public var encodingEnds: UInt32?

    public init(
        frameNumber: UInt32, wallClock: NTPTime, monotonic: MonotonicTime, encodingBegins: UInt32? = nil,
        encodingEnds: UInt32? = nil
    ) {
        self.frameNumber = frameNumber
        self.wallClock = wallClock
        self.monotonic = monotonic
        self.encodingBegins = encodingBegins
        self.encodingEnds = encodingEnds
    }

    /// 9c2b6c9e-5e9d-4444-903f-1866e524bed6
    public static let identifier: [UInt8] = [
        0x9C, 0x2B, 0x6C, 0x9E, 0x5E, 0x9D, 0x44, 0x44, 0x90, 0x3F, 0x18, 0x66, 0xE5, 0x24, 0xBE, 0xD6,
    ]
    private static let version: UInt8 = 1
    private static let unknown = UInt32.max
    /// Bytes behind the identifier.
    private static let byteCount = 30
}

// MARK: - NAL unit

extension CaptureTimestamp {
    /// A NAL unit of type 6 with this alone.
    public var nalUnit: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.uint8(Self.version)
        writer.uint8(0)
        writer.uint32(frameNumber)
        writer.uint64(wallClock.rawValue)
        writer.uint64(UInt64(bitPattern: monotonic.nanoseconds))
        writer.uint32(encodingBegins ?? Self.unknown)
        writer.uint32(encodingEnds ?? Self.unknown)
        return H264.UserData(identifier: Self.identifier, content: writer.bytes).nalUnit
    }

    /// The first timestamp in a NAL unit; `nil` if there is none, or one of a later version, or a truncated one.
    public init?(parsing unit: [UInt8]) {
        guard let own = H264.UserData.all(in: unit).first(where: { $0.identifier == Self.identifier }) else {
            return nil
        }
        self.init(own)
    }

    /// Parses user data; `nil` if it has another identifier, is of a later version, or is too short.
    public init?(_ userData: H264.UserData) {
        guard userData.identifier == Self.identifier else { return nil }
        var reader = ByteReader(userData.content.rawSpan)
        guard reader.uint8() == Self.version, reader.skip(1),
            let frameNumber = reader.uint32(), let wallClock = reader.uint64(), let monotonic = reader.uint64(),
            let begins = reader.uint32(), let ends = reader.uint32()
        else { return nil }
        self.init(
            frameNumber: frameNumber, wallClock: NTPTime(rawValue: wallClock),
            monotonic: MonotonicTime(nanoseconds: Int64(bitPattern: monotonic)),
            encodingBegins: begins == Self.unknown ? nil : begins, encodingEnds: ends == Self.unknown ? nil : ends)
    }
}

extension CaptureTimestamp {
    /// Makes the timestamp of a frame that was captured at `captured`, when the wall clock showed `wallClock`.
    ///
    /// Events before the capture have no duration: frames of a file are encoded before their capture time.
    public init(of encodeTiming: AccessUnit.EncodeTiming, captured: MonotonicTime, wallClock: NTPTime) {
        func microseconds(_ instant: MonotonicTime) -> UInt32? {
            let span = instant - captured
            return span < 0 ? nil : UInt32(exactly: span / 1000)
        }
        self.init(
            frameNumber: encodeTiming.frameNumber, wallClock: wallClock, monotonic: captured,
            encodingBegins: microseconds(encodeTiming.begin), encodingEnds: microseconds(encodeTiming.end))
    }
}

extension AccessUnit {
    /// The capture timestamp in its SEI, if there is one.
    public var captureTimestamp: CaptureTimestamp? {
        for range in units
        where H264.NALUnitType(rawValue: bytes[range.lowerBound]) == .supplementalEnhancement {
            if let timestamp = CaptureTimestamp(parsing: Array(bytes[range])) { return timestamp }
        }
        return nil
    }

    /// A copy with the timestamp before the first slice, where SEI belongs (ITU-T H.264, 7.4.1.2.3).
    public func stamped(with timestamp: CaptureTimestamp) -> AccessUnit {
        var nalUnits = units.map { Array(bytes[$0]) }
        let firstSlice = units.firstIndex { H264.NALUnitType(rawValue: bytes[$0.lowerBound]).isVideoCodingLayer }
        nalUnits.insert(timestamp.nalUnit, at: firstSlice ?? nalUnits.endIndex)
        var unit = AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime, isKeyframe: isKeyframe,
            part: part, nalUnits: nalUnits)
        (unit.encodeTiming, unit.captured) = (encodeTiming, captured)
        return unit
    }
}
