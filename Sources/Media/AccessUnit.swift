/// What is decoded at one instant: a picture, or one frame of sound, or a part of it. Its bytes never change.
public struct AccessUnit: Sendable {
    public let track: TrackID
    /// When it is to be shown, on the stream's capture clock: for live pictures, when the light was captured.
    public let presentationTime: MediaTime
    /// When it is to be decoded; equal to the presentation time unless pictures are reordered. Strictly increasing per track.
    public let decodeTime: MediaTime
    /// Whether decoding can start here: for H.264 an IDR picture with its parameter sets in band. Every audio unit is one.
    public let isKeyframe: Bool
    /// Which part of the unit this is: encoders that work slice by slice hand out several.
    public let part: Part
    /// The coded bytes of all units, back to back, without start codes or length prefixes.
    public let bytes: [UInt8]
    /// Where each NAL unit (H.264) or raw data block (AAC) lies in `bytes`; ascending, never empty.
    public let units: [Range<Int>]
    /// How it was coded, where Apus did that.
    public var encodeTiming: EncodeTiming?
    /// When it was captured, by the wall clock; `nil` before it is published.
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

    /// The same bytes at other times: what a prelude does. When it was captured does not change.
    public func at(presentationTime: MediaTime, decodeTime: MediaTime) -> AccessUnit {
        var unit = AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime,
            isKeyframe: isKeyframe, part: part, bytes: bytes, units: units)
        (unit.encodeTiming, unit.captured) = (encodeTiming, captured)
        return unit
    }
}
