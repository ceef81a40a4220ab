import Media

/// Joins the parts of frames, because a sample is a whole frame.
///
/// A part of a frame whose beginning is missing is dropped: that only happens in the first frames of a pipe, whose number of slices is
/// not known yet. A frame whose end is missing is complete with what came, once the next frame begins; if that is a keyframe, it is
/// dropped, because nothing refers to it.
public struct FrameParts: Sendable {
    /// The frames that have begun, one per track.
    private var frames: [TrackID: (parts: [AccessUnit], byteCount: Int)] = [:]

    /// Bytes of one frame, as many as the ring of a stream holds by default. A larger frame is dropped.
    private static let maximumByteCount = 16_000_000

    public init() {}

    /// The whole units that are complete with `unit`: none, one, or also the one before it.
    public mutating func joined(_ unit: AccessUnit) -> [AccessUnit] {
        let frame = frames.removeValue(forKey: unit.track)
        guard unit.part.isStart else {
            guard var frame else { return [] }
            frame.parts.append(unit)
            frame.byteCount += unit.bytes.count
            if unit.part.isEnd { return [Self.whole(frame.parts)] }
            if frame.byteCount <= Self.maximumByteCount { frames[unit.track] = frame }
            return []
        }
        let before = unit.isKeyframe ? [] : frame.map { [Self.whole($0.parts)] } ?? []
        if unit.part.isEnd { return before + [unit] }
        frames[unit.track] = ([unit], unit.bytes.count)
        return before
    }

    /// Whether no frame has begun, so that a whole unit needs no joining.
    public var isEmpty: Bool { frames.isEmpty }

    private static func whole(_ parts: [AccessUnit]) -> AccessUnit {
        let first = parts[0]
        var unit = AccessUnit(
            track: first.track, presentationTime: first.presentationTime, decodeTime: first.decodeTime,
            isKeyframe: first.isKeyframe, nalUnits: parts.flatMap { part in part.units.map { Array(part.bytes[$0]) } })
        (unit.encodeTiming, unit.captured) = (first.encodeTiming, first.captured)
        return unit
    }
}
