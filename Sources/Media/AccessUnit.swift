/// The data that is decoded at one instant: a video frame, one frame of audio, or a part of either. Its bytes never change.
public struct AccessUnit: Sendable {
    public let track: TrackID
    /// When the unit is presented, on the stream's capture clock. For live video it is the time of exposure.
    public let presentationTime: MediaTime
    /// When the unit is decoded. It equals the presentation time unless frames are reordered, and strictly increases per track.
    public let decodeTime: MediaTime
    /// Whether decoding can start here (`Codec.RandomAccess`).
    public let isKeyframe: Bool
    /// Which part of the access unit this is. Encoders that work slice by slice produce several parts.
    public let part: Part
    /// The encoded bytes of all NAL units or data blocks, back to back, without start codes or length prefixes.
    public let bytes: [UInt8]
    /// The ranges of the NAL units (H.264, H.265) or raw data blocks (AAC) in `bytes`: ascending, never empty.
    public let units: [Range<Int>]
    /// When the unit was encoded, if Apus encoded it.
    public var encodeTiming: EncodeTiming?
    /// The wall-clock time of capture; `nil` before the unit is published.
    public var captured: NTPTime?

    public enum Part: Hashable, Sendable {
        case whole
        case first
        case middle
        case last

        /// Whether a new access unit starts with this part.
        public var isStart: Bool { self == .whole || self == .first }
        /// Whether the access unit is complete with this part.
        public var isEnd: Bool { self == .whole || self == .last }
    }

    public init(
        track: TrackID, presentationTime: MediaTime, decodeTime: MediaTime, isKeyframe: Bool,
        part: Part = .whole, bytes: [UInt8], units: [Range<Int>]
    ) {
        precondition(!units.isEmpty, "an access unit has at least one unit")
        precondition(
            units.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= bytes.count },
            "units lie inside the bytes and are not empty")
        self.track = track
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.isKeyframe = isKeyframe
        self.part = part
        self.bytes = bytes
        self.units = units
    }

    /// A copy with other times, as fast start needs it. The time of capture does not change.
    public func at(presentationTime: MediaTime, decodeTime: MediaTime) -> AccessUnit {
        var unit = AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime,
            isKeyframe: isKeyframe, part: part, bytes: bytes, units: units)
        (unit.encodeTiming, unit.captured) = (encodeTiming, captured)
        return unit
    }

    /// A copy that belongs to another track with the same clock rate.
    public func on(_ track: TrackID) -> AccessUnit {
        if track == self.track { return self }
        var unit = AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime, isKeyframe: isKeyframe,
            part: part, bytes: bytes, units: units)
        (unit.encodeTiming, unit.captured) = (encodeTiming, captured)
        return unit
    }
}

extension AccessUnit {
    /// When a frame was encoded by Apus.
    public struct EncodeTiming: Hashable, Sendable {
        /// The number of the source's frame, from 0, modulo 2³². Skipped frames are counted too.
        public let frameNumber: UInt32
        /// When the frame was given to the encoder.
        public let begin: MonotonicTime
        /// When the encoder returned the encoded frame.
        public let end: MonotonicTime

        public init(frameNumber: UInt32, begin: MonotonicTime, end: MonotonicTime) {
            self.frameNumber = frameNumber
            self.begin = begin
            self.end = end
        }
    }
}
