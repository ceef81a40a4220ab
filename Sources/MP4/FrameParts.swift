import Media

/// Joins the parts of frames, because a sample is a whole frame.
///
/// A part of a frame whose beginning is missing is dropped: that only happens in the first frames of a pipe, whose number of slices is
/// not known yet. A frame whose end is missing is complete with what came, once the next frame begins; if that is a keyframe, it is
/// dropped, because nothing refers to it.
struct FrameParts: Sendable {
    private var parts: [TrackID: [AccessUnit]] = [:]

    /// Bytes of one frame's parts, more than the ring of a stream holds by default. A larger frame is dropped.
    private static let maximumByteCount = 16_000_000

    /// The whole units that are complete with `unit`: none, one, or also the one before it.
    mutating func joined(_ unit: AccessUnit) -> [AccessUnit] {
        guard unit.part.isStart else {
            guard var parts = parts.removeValue(forKey: unit.track) else { return [] }
            parts.append(unit)
            if unit.part.isEnd { return [Self.whole(parts)] }
            let byteCount = parts.reduce(0) { $0 + $1.bytes.count }
            if byteCount <= Self.maximumByteCount { self.parts[unit.track] = parts }
            return []
        }
        let incomplete = parts.removeValue(forKey: unit.track)
        let before = unit.isKeyframe ? [] : incomplete.map { [Self.whole($0)] } ?? []
        if unit.part.isEnd { return before + [unit] }
        parts[unit.track] = [unit]
        return before
    }

    /// Whether no frame has begun, so that a whole unit needs no joining.
    var isEmpty: Bool { parts.isEmpty }

    private static func whole(_ parts: [AccessUnit]) -> AccessUnit {
        let first = parts[0]
        var unit = AccessUnit(
            track: first.track, presentationTime: first.presentationTime, decodeTime: first.decodeTime,
            isKeyframe: first.isKeyframe, nalUnits: parts.flatMap { part in part.units.map { Array(part.bytes[$0]) } })
        (unit.encodeTiming, unit.captured) = (first.encodeTiming, first.captured)
        return unit
    }
}
