import MP4
import Media
import Wire

/// The segment that is being filled: finished parts, and the fragments of the next part.
struct OpenSegment<Storage: FragmentStorage>: Sendable {
    let number: Int64
    /// Media time in nanoseconds.
    let start: Int64
    let captured: NTPTime?
    let initNumber: Int
    let isDiscontinuous: Bool
    let discontinuityCount: Int64
    /// The time at which the source is to begin the next segment, with a keyframe. Nanoseconds.
    let boundary: Int64
    private(set) var parts: [Part<Storage>] = []
    /// When the part that is filled began.
    private(set) var partStart: Int64
    private var fragments: [MP4Fragment<Storage>] = []

    init(
        number: Int64, beginningWith fragment: MP4Fragment<Storage>, at start: Int64, boundary: Int64, initNumber: Int,
        isDiscontinuous: Bool, discontinuityCount: Int64
    ) {
        (self.number, self.start, self.boundary) = (number, start, boundary)
        (captured, partStart) = (fragment.captured, start)
        (self.initNumber, self.isDiscontinuous) = (initNumber, isDiscontinuous)
        self.discontinuityCount = discontinuityCount
    }

    var byteCount: Int { parts.reduce(fragments.reduce(0) { $0 + $1.byteCount }) { $0 + $1.byteCount } }

    mutating func append(_ fragment: MP4Fragment<Storage>) { fragments.append(fragment) }

    /// Finishes the part that is filled, if there is anything in it.
    ///
    /// - Parameters:
    ///   - end: when the next part begins.
    ///   - leading: the track at whose keyframes a decoder can start.
    ///   - number: that of its fragment. The next part has the next.
    mutating func finishPart(at end: Int64, leading: TrackID, noLongerThan target: Int64, number: inout UInt32) {
        guard let group = FragmentGroup(fragments, sequenceNumber: number) else { return }
        number &+= 1
        parts.append(
            Part(
                bytes: Storage(byteCount: group.byteCount) { group.write(to: &$0) }, byteCount: group.byteCount,
                duration: min(max(end - partStart, 1_000_000), target),
                isIndependent: fragments.contains { $0.track == leading && $0.isKeyframe }))
        fragments = []
        partStart = end
    }

    /// The finished segment. Its last part must be finished before.
    ///
    /// - Parameter duration: nanoseconds.
    func finished(lasting duration: Int64) -> Segment<Storage> {
        let bytes = Storage(byteCount: parts.reduce(0) { $0 + $1.byteCount }) { output in
            for part in parts { output.append(part.bytes.rawSpan) }
        }
        var end = 0
        let slices = parts.map { part in
            end += part.byteCount
            return Part(
                bytes: bytes.slice(end - part.byteCount..<end), byteCount: part.byteCount, duration: part.duration,
                isIndependent: part.isIndependent)
        }
        return Segment(
            number: number, parts: slices, bytes: bytes, duration: duration, captured: captured, initNumber: initNumber,
            isDiscontinuous: isDiscontinuous, discontinuityCount: discontinuityCount)
    }
}
