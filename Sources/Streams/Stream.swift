import Media
import Synchronization

/// A path with its tracks and one ring of access units in capture order.
///
/// Published to by one source at a time, read by feeds. All methods may be called from any thread.
public final class Stream: Sendable {
    /// Limits of one stream, as configured.
    public struct Limits: Hashable, Sendable {
        public var history = Ring<AccessUnit>.Bounds()
        public var keyframeRequests = KeyframeRequestLimiter.Limits()

        public init() {}
    }

    /// What viewers are told about the stream before its first unit.
    public struct Announcement: Hashable, Sendable {
        public let tracks: [Track]
        /// Counts up with every change of the tracks, for the session description's version.
        public let version: UInt64
    }

    /// What sources have handed over.
    public struct Published: Hashable, Sendable {
        public var pictureCount = 0
        /// Of all tracks.
        public var byteCount = 0

        public init() {}

        /// What was handed over between two looks at the same stream.
        public func since(_ earlier: Self) -> Self {
            var result = self
            result.pictureCount -= earlier.pictureCount
            result.byteCount -= earlier.byteCount
            return result
        }
    }

    private struct State: ~Copyable {
        var announcement: Announcement?
        var announcementCount: UInt64 = 0
        var published = Published()
        var ring: Ring<AccessUnit>
        var budget: KeyframeRequestLimiter
        var feeds: [FeedKey: any AnyFeed] = [:]
        var source: (any Source)?
        var captureTimeSEI = CaptureTimeSEI.keyframes
        /// Tracks of which nothing passes before a random access point: a source has just started.
        var awaitingKeyframe: Set<TrackID> = []
        /// Whether the input has ended for good. The next announcement clears it.
        var hasEnded = false
        var endObserver: (@Sendable (Stream) -> Void)?
    }

    /// Where viewers find it: `/cam`.
    public let path: String
    /// From whose epoch all tracks' media times count.
    public let clock: StreamClock

    /// What its pictures spent where.
    public let latencyTrace = LatencyTrace()

    private let limits: Limits
    private let state: Mutex<State>

    public init(path: String, clock: StreamClock, limits: Limits = Limits()) {
        self.path = path
        self.clock = clock
        self.limits = limits
        state = Mutex(
            State(ring: Ring(bounds: limits.history), budget: KeyframeRequestLimiter(limits: limits.keyframeRequests)))
    }

    /// A stream that begins at `epoch`, for who does not care about the wall clock: there, it is 1970 then.
    public convenience init(path: String, epoch: MonotonicTime, limits: Limits = Limits()) {
        let clock = StreamClock(epoch: epoch) { ClockReading(monotonic: epoch, unixNanoseconds: 0) }
        self.init(path: path, clock: clock, limits: limits)
    }

    /// The instant from which all tracks' media times count.
    public var epoch: MonotonicTime { clock.epoch }

    /// Which of the pictures that are coded here carry their time of capture, from the next one on.
    public var captureTimeSEI: CaptureTimeSEI {
        get { state.withLock { $0.captureTimeSEI } }
        set { state.withLock { $0.captureTimeSEI = newValue } }
    }

    /// The tracks as announced last; `nil` before a source has announced any.
    public var announcement: Announcement? { state.withLock { $0.announcement } }

    /// How often a source has announced tracks, the same or others: what was shown before is forgotten each time.
    public var announcementCount: UInt64 { state.withLock { $0.announcementCount } }

    /// What was published since the stream was made.
    public var published: Published { state.withLock { $0.published } }

    /// Whether the input has ended for good, as that of a file that is played once. The next announcement clears it.
    public var hasEnded: Bool { state.withLock { $0.hasEnded } }
}

// MARK: - The source's side

extension Stream {
    /// Says who is asked for random access points; `nil` when the source has gone.
    public func attach(_ source: (any Source)?) {
        state.withLock { $0.source = source }
    }

    /// Says which tracks follow, or that their parameters changed; a source calls it before its first unit and at each change.
    ///
    /// History from before is forgotten, and video goes on at its next random access point. If kinds, clock rates or audio
    /// configurations differ from before, the viewers' sessions end: what was negotiated does not hold any more.
    public func announce(_ tracks: [Track]) {
        let ended = state.withLock { state -> [any AnyFeed] in
            state.announcementCount += 1
            state.hasEnded = false
            let version = (state.announcement?.version ?? 0) + 1
            let isCompatible = state.announcement.map { Self.areCompatible($0.tracks, tracks) } ?? true
            if state.announcement?.tracks != tracks {
                state.announcement = Announcement(tracks: tracks, version: version)
            }
            state.ring.removeAll()
            state.awaitingKeyframe = Set(tracks.filter { $0.kind == .video }.map(\.id))
            guard !isCompatible else { return [] }
            defer { state.feeds = [:] }
            return Array(state.feeds.values)
        }
        for feed in ended {
            feed.end()
            feed.wake()
        }
    }

    /// Ends the stream: the input has ended for good. Repeated calls have no effect until the next announcement.
    ///
    /// Viewers keep what was published. The observer of `observeEnd` ends their sessions.
    public func end() {
        let observer = state.withLock { state -> (@Sendable (Stream) -> Void)? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            state.ring.removeAll()
            return state.endObserver
        }
        observer?(self)
    }

    /// Sets the closure that `end` calls, on the thread of the source.
    public func observeEnd(_ observer: @escaping @Sendable (Stream) -> Void) {
        state.withLock { $0.endObserver = observer }
    }

    /// Hands over the next access unit, in capture order; never blocks for a viewer.
    ///
    /// Units of tracks that were not announced, and pictures before a source's first random access point, are let go.
    public func publish(_ unit: AccessUnit) {
        let unit = withTimeOfCapture(unit)
        let feeds = state.withLock { state -> [any AnyFeed] in
            guard let track = state.announcement?.tracks.first(where: { $0.id == unit.track }) else { return [] }
            if state.awaitingKeyframe.contains(unit.track) {
                guard unit.isKeyframe else { return [] }
                state.awaitingKeyframe.remove(unit.track)
            }
            if track.kind == .video {
                state.published.pictureCount += 1
                if unit.isKeyframe { state.budget.arrived() }
            }
            state.published.byteCount += unit.bytes.count
            let frameTrace =
                Self.isFollowed(unit, among: state.announcement?.tracks ?? []) ? FrameTrace(unit, clock) : nil
            if let frameTrace { latencyTrace.began(frameTrace) }
            let nanoseconds = unit.presentationTime.nanoseconds
            state.ring.append(unit, nanoseconds: nanoseconds, byteCount: unit.bytes.count)
            for (key, feed) in state.feeds where !feed.isWanted(at: nanoseconds) { state.feeds[key] = nil }
            let feeds = Array(state.feeds.values)
            for feed in feeds { feed.append(unit) }
            if let frameTrace { latencyTrace.packaged(frameTrace, at: clock.now) }
            return feeds
        }
        for feed in feeds { feed.wake() }
    }

    /// Whether its way is followed: of the video, or of the first track where there is none, what comes in one piece.
    private static func isFollowed(_ unit: AccessUnit, among tracks: [Track]) -> Bool {
        let leading = tracks.first { $0.kind == .video } ?? tracks.first
        return unit.track == leading?.id && unit.part == .whole
    }

    /// The unit with what the wall clock showed at its capture, in a picture that is to carry it as SEI too.
    private func withTimeOfCapture(_ unit: AccessUnit) -> AccessUnit {
        clock.follow()
        var unit = unit
        let instant = clock.instant(of: unit.presentationTime)
        let wallClock = clock.ntpTime(of: instant)
        unit.captured = wallClock
        guard let encodeTiming = unit.encodeTiming, captureTimeSEI.includes(unit) else { return unit }
        return unit.stamped(with: CaptureTimestamp(of: encodeTiming, captured: instant, wallClock: wallClock))
    }

    /// Whether what was negotiated for the tracks `old` holds for `new`: the same kinds, clocks and audio configurations.
    ///
    /// Parameter sets of H.264 may differ, because they also come in the stream. An AAC configuration comes in the description only
    /// (`config=`, RFC 3640, section 4.1), and a transport stream's packager makes all ADTS headers of the first.
    public static func areCompatible(_ old: [Track], _ new: [Track]) -> Bool {
        old.elementsEqual(new) { old, new in
            guard old.id == new.id, old.clockRate == new.clockRate else { return false }
            switch (old.format, new.format) {
            case (.h264, .h264): return true
            case (.aac(let former), .aac(let next)): return former == next
            case (.h264, .aac), (.aac, .h264): return false
            }
        }
    }
}

// MARK: - The viewers' side

extension Stream {
    /// Where a viewer joins: what has been, and where in the feed it goes on without a gap.
    public struct JoinPoint<P: Packager>: Sendable {
        /// Units still in the ring, in capture order.
        public let history: [AccessUnit]
        /// Index in the feed of the first unit after the history.
        public let nextIndex: Int64
        /// The feed's packager before it makes that unit.
        public let packager: P
    }

    /// The feed of this kind, made now if it is the first; `nil` before a source has announced its tracks, and after `end`.
    ///
    /// Every unit wakes `waker` from now on, until `Feed.detach`. A feed that nobody reads is let go of.
    public func feed<P: Packager>(_ packager: P.Type, options: P.Options, for waker: any Waker) -> Feed<P>? {
        state.withLock { state in
            guard let tracks = state.announcement?.tracks, !state.hasEnded else { return nil }
            if let feed = state.feeds[FeedKey(packager, options)] as? Feed<P> {
                feed.attach(waker)
                return feed
            }
            let bounds = Ring<P.Output>.Bounds(
                nanoseconds: limits.history.nanoseconds, byteCount: limits.history.byteCount)
            let feed = Feed<P>(tracks: tracks, options: options, history: Self.all(of: state.ring), bounds: bounds)
            feed.attach(waker)
            state.feeds[FeedKey(packager, options)] = feed
            return feed
        }
    }

    /// The history, and the index at which `feed` goes on after it: one consistent moment.
    public func joinPoint<P: Packager>(in feed: Feed<P>) -> JoinPoint<P> {
        state.withLock { state in
            let front = feed.front
            return JoinPoint(history: Self.all(of: state.ring), nextIndex: front.index, packager: front.packager)
        }
    }

    /// Somebody needs a random access point: asks the source for one, within the stream's budget.
    ///
    /// - Returns: when to ask again if the budget does not allow it now.
    @discardableResult
    public func requestKeyframe(at now: MonotonicTime) -> MonotonicTime? {
        let (answer, source) = state.withLock { ($0.budget.requested(at: now), $0.source) }
        switch answer {
        case .granted:
            source?.requestKeyframe()
            return nil
        case .underWay:
            return nil
        case .notBefore(let instant):
            return instant
        }
    }

    /// Whether its source codes the pictures itself, and so can make a random access point at any time.
    public var hasEncoder: Bool { state.withLock { $0.source }?.status != nil }

    private static func all(of ring: borrowing Ring<AccessUnit>) -> [AccessUnit] {
        (ring.startIndex..<ring.endIndex).map { ring[$0] }
    }
}

/// One packager kind with its options: one feed.
private struct FeedKey: Hashable {
    private let packager: ObjectIdentifier
    private let options: AnyHashableSendable

    init<P: Packager>(_ packager: P.Type, _ options: P.Options) {
        self.packager = ObjectIdentifier(packager)
        self.options = AnyHashableSendable(options)
    }
}

/// A hashable value that may cross threads, whatever its type.
private struct AnyHashableSendable: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: some Hashable & Sendable) {
        self.value = value
    }

    static func == (left: Self, right: Self) -> Bool {
        AnyHashable(left.value) == AnyHashable(right.value)
    }

    func hash(into hasher: inout Hasher) {
        value.hash(into: &hasher)
    }
}
