import MP4
import Media

/// Divides a stream into segments and parts, from the fragments of ``MP4Packager``. A plain value in virtual time.
///
/// ```
///            the first keyframes have come            keyframe at the boundary
///   probing ───────────────────────────────▶ filling ──────────────────────────▶ filling the next segment
///                                             │  ▲       too long, other tracks
///                     nothing came for too long│  │ keyframe
///                                             ▼  │
///                                            absent: segments without media
/// ```
///
/// A segment begins at a keyframe. If the source makes keyframes when asked, boundaries are multiples of the segment duration on the
/// stream's clock, which all renditions share, and ``wantsKeyframe`` tells when to ask. Otherwise a segment ends at the first keyframe
/// after its duration. If no keyframe comes in time, it ends at another frame, because no segment may be longer than the playlist
/// promised. Audio alone is divided by time.
///
/// Times are those of decoding, so that frames are in order.
public struct Segmenter<Storage: FragmentStorage>: Sendable {
    public typealias Fragment = MP4Fragment<Storage>

    let options: SegmenterOptions
    private var probe: TimingProbe<Storage>?
    /// What the playlist promises; `nil` as long as there is no playlist.
    public private(set) var timing: SegmentTiming?
    /// The kept segments, the oldest first.
    public private(set) var segments: [Segment<Storage>] = []
    /// `nil` before the first keyframe, and while the source is absent.
    private(set) var open: OpenSegment<Storage>?
    /// The init segments of the kept segments, by their numbers.
    public private(set) var initSegments: [Int: InitSegment] = [:]
    /// The init segment of the newest fragment: with all tracks of the stream, and with those that segments have.
    private var head: (whole: InitSegment, selected: InitSegment)?
    private var initNumber = 0
    private var leading: Track?
    private var nextNumber: Int64
    /// The number of the fragment of the next part.
    private var fragmentNumber: UInt32 = 1
    private var discontinuityCount: Int64 = 0
    private var isDiscontinuous = false
    /// Where the last segment ended, and where the last frame began; `nil` before the first. Nanoseconds.
    private var end: Int64?
    private var lastTime: Int64?

    public init(_ options: SegmenterOptions) {
        self.options = options
        probe = TimingProbe(options)
        nextNumber = options.firstNumber
    }

    // MARK: What comes

    /// Takes the next fragment of the stream.
    public mutating func received(_ fragment: Fragment) {
        guard options.kinds.contains(fragment.kind), let whole = fragment.head else { return }
        if head?.whole.generation != whole.generation { begin(whole) }
        guard let leading else { return }
        guard probe == nil else { return collect(fragment, leading.id) }
        take(fragment, leading.id)
    }

    /// Nothing has come up to this media time, in nanoseconds. It marks the absence of the source.
    public mutating func passed(_ now: Int64) {
        guard let timing, let lastTime else { return }
        if open != nil, now - lastTime > timing.patience {
            let end = lastTime + timing.frameInterval
            finishSegment(at: end)
        }
        guard open == nil, let end, now - end > timing.patience else { return }
        // The last second is left for the source to return in.
        appendGaps(upTo: now - timing.patience, isComplete: false)
    }

    /// No fragment follows.
    public mutating func finish() {
        if let timing, let lastTime { finishSegment(at: lastTime + timing.frameInterval) }
        // Nothing is missing from now on.
        end = nil
    }

    /// Whether the source is to be asked for a keyframe now, so that the next segment begins in time.
    public var wantsKeyframe: Bool {
        guard options.keyframes == .onRequest, leading?.kind == .video else { return false }
        if let probe { return probe.hasSegmentDuration }
        guard let timing, let lastTime else { return false }
        guard let open else { return true }
        return lastTime + timing.frameInterval * 3 / 2 >= open.boundary
    }

    /// Drops the oldest segments, as far as there are more than two, until at most so many bytes are kept.
    public mutating func trim(to byteCount: Int) {
        while self.byteCount > byteCount, segments.count > 2 { dropOldest() }
    }

    /// Bytes of all segments.
    public var byteCount: Int { segments.reduce(open?.byteCount ?? 0) { $0 + $1.byteCount } }

    // MARK: Fragments

    private mutating func begin(_ whole: InitSegment) {
        guard let selected = whole.selecting({ options.kinds.contains($0.kind) }) else { return }
        if probe != nil { probe = TimingProbe(options) }
        if let end = lastTime.map({ $0 + (timing?.frameInterval ?? 0) }), head != nil, probe == nil {
            finishSegment(at: end)
            isDiscontinuous = true
        }
        head = (whole, selected)
        leading = selected.tracks.leading
        initNumber += 1
        initSegments[initNumber] = selected
        forgetInitSegments()
    }

    /// Collects fragments until the durations of the playlist are known. Then all of them are taken at once.
    private mutating func collect(_ fragment: Fragment, _ leading: TrackID) {
        guard let timing = probe?.received(fragment, leading: leading) else { return }
        let fragments = probe?.fragments ?? []
        (self.timing, probe) = (timing, nil)
        for fragment in fragments { take(fragment, leading) }
    }

    private mutating func take(_ fragment: Fragment, _ leading: TrackID) {
        guard fragment.track == leading else {
            open?.append(fragment)
            return
        }
        guard let timing else { return }
        let time = fragment.streamDecodeTime.nanoseconds
        if let lastTime, time < lastTime || time - lastTime > timing.patience { interrupted(from: lastTime, at: time) }
        if let open {
            if endsSegment(fragment, at: time, of: open) {
                finishSegment(at: time)
            } else if time + timing.frameInterval > open.partStart + timing.partTarget {
                self.open?.finishPart(
                    at: time, leading: leading, noLongerThan: timing.partTarget, number: &fragmentNumber)
            }
        }
        // After an absence, the first frame is a keyframe.
        guard open != nil || fragment.isKeyframe || end == time else { return }
        if open == nil { beginSegment(with: fragment, at: time) }
        open?.append(fragment)
        lastTime = time
    }

    /// The source has sent nothing for a while, or its clock has gone back.
    private mutating func interrupted(from lastTime: Int64, at time: Int64) {
        guard let timing else { return }
        if open != nil { finishSegment(at: lastTime + timing.frameInterval) }
        if time < lastTime {
            isDiscontinuous = true
            end = nil
        }
    }

    private func endsSegment(_ fragment: Fragment, at time: Int64, of open: OpenSegment<Storage>) -> Bool {
        guard let timing else { return false }
        if time + timing.frameInterval - open.start > timing.longestSegment { return true }
        guard fragment.isKeyframe else { return false }
        // What begins without a keyframe is as short as possible.
        if let first = open.parts.first, !first.isIndependent { return true }
        let isAudio = leading?.kind == .audio
        return time >= open.boundary - (isAudio ? timing.frameInterval / 2 : options.segmentDuration / 10)
    }

    // MARK: Segments

    private mutating func beginSegment(with fragment: Fragment, at time: Int64) {
        if let end, time - end > (timing?.frameInterval ?? 0) { appendGaps(upTo: time, isComplete: true) }
        if isDiscontinuous { discontinuityCount += 1 }
        open = OpenSegment(
            number: nextNumber, beginningWith: fragment, at: time, boundary: boundary(after: time),
            initNumber: initNumber, isDiscontinuous: isDiscontinuous, discontinuityCount: discontinuityCount)
        isDiscontinuous = false
        nextNumber += 1
    }

    private func boundary(after start: Int64) -> Int64 {
        let duration = options.segmentDuration
        guard options.keyframes == .onRequest || leading?.kind == .audio else { return start + duration }
        return (start + duration / 2 + duration - 1) / duration * duration
    }

    private mutating func finishSegment(at time: Int64) {
        guard var open = open.take(), let timing, let leading else { return }
        open.finishPart(
            at: time, leading: leading.id, noLongerThan: timing.partTarget, number: &fragmentNumber)
        append(open.finished(lasting: min(max(time - open.start, 1_000_000), timing.longestSegment)))
        end = time
    }

    /// Appends segments without media, from the end of the last segment up to `time`.
    ///
    /// - Parameter isComplete: whether the last of them ends there, because media follow.
    private mutating func appendGaps(upTo time: Int64, isComplete: Bool) {
        guard let timing, var start = end else { return }
        // Other tracks begin with the media that follow.
        let initNumber = segments.last?.initNumber ?? initNumber
        let target = Int64(timing.targetSeconds) * 1_000_000_000
        // Those that would be dropped at once are only counted.
        let superfluous = max(0, (time - start - options.window) / target - 1)
        nextNumber += superfluous
        start += superfluous * target
        while time - start >= target || isComplete && time > start {
            let duration = time - start <= timing.longestSegment && isComplete ? time - start : target
            append(
                Segment(
                    number: nextNumber, parts: [], bytes: nil, duration: duration, captured: nil,
                    initNumber: initNumber, isDiscontinuous: false, discontinuityCount: discontinuityCount))
            nextNumber += 1
            start += duration
        }
        end = start
    }

    private mutating func append(_ segment: Segment<Storage>) {
        segments.append(segment)
        while segments.reduce(0, { $0 + $1.duration }) > options.window, segments.count > 2 { dropOldest() }
        trim(to: options.maximumByteCount)
    }

    private mutating func dropOldest() {
        segments.removeFirst()
        forgetInitSegments()
    }

    private mutating func forgetInitSegments() {
        let oldest = segments.first?.initNumber ?? open?.initNumber ?? initNumber
        guard initSegments.count > 1 else { return }
        initSegments = initSegments.filter { $0.key >= oldest }
    }
}

// MARK: - Reading

extension Segmenter {
    /// The part that is finished next. Playlists hint at it.
    public var edge: PlaylistPosition {
        open.map { PlaylistPosition(segment: $0.number, part: $0.parts.count) }
            ?? PlaylistPosition(segment: nextNumber, part: 0)
    }

    /// Whether there is a playlist: clients without low latency can use it only if it has a segment.
    public var hasPlaylist: Bool { timing != nil && !segments.isEmpty }

    /// The init segment of the newest media; `nil` before the first.
    public var initSegment: InitSegment? { head?.selected }

    /// A kept segment that is finished; `nil` if there is none of this number, or if it has no media.
    public func segment(_ number: Int64) -> Segment<Storage>? {
        guard let first = segments.first?.number, (first..<(first + Int64(segments.count))).contains(number) else {
            return nil
        }
        // The kept segments have successive numbers, except for gaps that were only counted, which were followed by the others.
        let segment = segments[Int(number - first)]
        return segment.number == number && !segment.isGap ? segment : nil
    }

    /// A finished part of a kept segment; `nil` if there is none.
    public func part(at position: PlaylistPosition) -> Part<Storage>? {
        let parts = open?.number == position.segment ? open?.parts : segment(position.segment)?.parts
        guard let parts, parts.indices.contains(position.part) else { return nil }
        return parts[position.part]
    }

    /// The peak and the average bitrate of the kept segments, in bits per second; `nil` if there are none with media.
    public var bandwidth: (peak: Int, average: Int)? {
        let media = segments.filter { !$0.isGap }
        let rates = media.map { Double($0.byteCount) * 8e9 / Double($0.duration) }
        guard let peak = rates.max() else { return nil }
        let (bytes, duration) = media.reduce((0, 0 as Int64)) { ($0.0 + $1.byteCount, $0.1 + $1.duration) }
        return (Int(peak.rounded(.up)), Int((Double(bytes) * 8e9 / Double(duration)).rounded(.up)))
    }
}
