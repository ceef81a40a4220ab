import Media
import Synchronization

/// A path with its tracks and one ring of access units in capture order.
///
/// One source at a time publishes to it, and feeds read it. All methods are thread-safe.
public final class Stream: Sendable {
    /// The limits of one stream, as configured.
    public struct Limits: Hashable, Sendable {
        public var history = Ring<AccessUnit>.Bounds()
        public var keyframeRequests = KeyframeRequestLimiter.Limits()

        public init() {}
    }

    /// What viewers learn about the stream before its first unit.
    public struct Announcement: Hashable, Sendable {
        public let tracks: [Track]
        /// Increases with every change of the tracks, for the version of the session description.
        public let version: UInt64
    }

    /// What sources have published.
    public struct Published: Hashable, Sendable {
        public var pictureCount = 0
        /// Bytes of all tracks.
        public var byteCount = 0

        public init() {}

        /// What was published between two samples of the same stream.
        public func since(_ earlier: Self) -> Self {
            var result = self
            result.pictureCount -= earlier.pictureCount
            result.byteCount -= earlier.byteCount
            return result
        }
    }

    struct State: ~Copyable {
        var announcement: Announcement?
        var announcementCount: UInt64 = 0
        var published = Published()
        var ring: Ring<AccessUnit>
        var limiter: KeyframeRequestLimiter
        var feeds: [FeedKey: AnyFeed] = [:]
        var source: (any Source)?
        /// `nil` if the encoder does not follow the viewers.
        var rates: StreamRates?
        /// The stream that this companion replaces for its viewers; `nil` if this is no companion.
        weak var home: Stream?
        /// `nil` if viewers stay on this stream.
        var renditions: Renditions?
        var captureTimeSEI = CaptureTimeSEI.keyframes
        var captureTimeOrigin: CaptureTimeOrigin?
        /// Whether the source has published media since its start.
        var isSourceUp = false
        var timeOrder = TimeOrder()
        /// Tracks that drop units until a keyframe, because a source has just started.
        var awaitingKeyframe: Set<TrackID> = []
        /// Whether the source sleeps until the stream is needed. The next announcement clears it.
        var isAsleep = false
        /// Whether the end of the input is final. The next announcement clears it.
        var hasEnded = false
        var endObserver: (@Sendable (Stream) -> Void)?
        /// `nil` if nothing is shown while the source is absent.
        var substitution: Substitution?
        /// The tracks that the source has announced last.
        var sourceTracks: [Track]?
        /// `nil` if the source's tracks are the announced ones.
        var places: TrackPlaces?
        /// `nil` if viewers do without the tracks that their protocol cannot carry.
        var viewerTranscoding: (any ViewerTranscoding)?
    }

    /// The path of its URL: `/cam`.
    public let path: String
    /// The clock that gives the epoch of all media times.
    public let clock: StreamClock

    /// Where its frames spend their time.
    public let latencyTrace = LatencyTrace()

    /// The viewers that have joined and left.
    public let viewerCounts = ViewerCounts()

    /// What needs the stream now.
    public let demand = StreamDemand()

    /// Where events of the path are published; `nil` for a stream that no path serves.
    public let events: EventBus?

    private let limits: Limits
    let state: Mutex<State>

    public init(path: String, clock: StreamClock, limits: Limits = Limits(), events: EventBus? = nil) {
        self.path = path
        self.clock = clock
        self.limits = limits
        self.events = events
        state = Mutex(
            State(ring: Ring(bounds: limits.history), limiter: KeyframeRequestLimiter(limits: limits.keyframeRequests)))
    }

    /// Creates a stream that begins at `epoch`, for callers that need no wall clock: at the epoch it shows 1970.
    public convenience init(path: String, epoch: MonotonicTime, limits: Limits = Limits()) {
        let clock = StreamClock(epoch: epoch) { ClockReading(monotonic: epoch, unixNanoseconds: 0) }
        self.init(path: path, clock: clock, limits: limits)
    }

    /// Creates a stream for some viewers of another one, with the same clock and limits.
    public convenience init(companionOf stream: Stream) {
        self.init(path: stream.path, clock: stream.clock, limits: stream.limits)
        // The units carry it already.
        captureTimeSEI = .off
        state.withLock { $0.home = stream }
    }

    /// The instant that the media times of all tracks count from.
    public var epoch: MonotonicTime { clock.epoch }

    /// Which of the frames that are encoded here carry their capture time, from the next frame on.
    public var captureTimeSEI: CaptureTimeSEI {
        get { state.withLock { $0.captureTimeSEI } }
        set { state.withLock { $0.captureTimeSEI = newValue } }
    }

    /// How the capture times are determined if the stream is received; `nil` if it is captured here.
    public var captureTimeOrigin: CaptureTimeOrigin? {
        get { state.withLock { $0.captureTimeOrigin } }
        set { state.withLock { $0.captureTimeOrigin = newValue } }
    }

    /// What encodes tracks for viewers whose protocol cannot carry them.
    public var viewerTranscoding: (any ViewerTranscoding)? {
        get { state.withLock { $0.viewerTranscoding } }
        set { state.withLock { $0.viewerTranscoding = newValue } }
    }

    /// The tracks announced last; `nil` before a source has announced any, and while the source sleeps.
    public var announcement: Announcement? { state.withLock { $0.isAsleep ? nil : $0.announcement } }

    /// How often a source has announced tracks, changed or not. Each announcement clears the history.
    public var announcementCount: UInt64 { state.withLock { $0.announcementCount } }

    /// What was published since the stream was created.
    public var published: Published { state.withLock { $0.published } }

    /// Whether the end of the input is final, as with a file that is played once. The next announcement clears it.
    public var hasEnded: Bool { state.withLock { $0.hasEnded } }
}

// MARK: - Publishing

extension Stream {
    /// Sets the source that keyframes are requested from; `nil` when the source has gone.
    public func attach(_ source: (any Source)?) {
        let rates = state.withLock { state in
            state.source = source
            // What was said of the former source's capture times.
            state.captureTimeOrigin = nil
            return state.rates
        }
        if let rates { rates.pass { passOn(rates.decision.order, of: rates) } }
    }

    /// Announces the tracks that follow. A source calls it before its first unit and whenever their parameters change.
    ///
    /// It clears the history, and video continues at its next keyframe. Each feed's packager decides whether its viewers can
    /// continue (`Packager.announced`); the sessions of the others end.
    ///
    /// While something is shown in place of an absent source, viewers keep their tracks (``TrackPlaces``), if the source's allow it.
    public func announce(_ tracks: [Track]) {
        announce(tracks, bySource: true)
    }

    func announce(_ tracks: [Track], bySource: Bool) {
        let isNeeded = demand.isNeeded
        let ended = state.withLock { state -> [AnyFeed] in
            if !bySource, state.announcement != nil { return [] }
            var tracks = tracks
            if bySource {
                state.sourceTracks = tracks
                state.places = Self.places(of: tracks, isNeeded: isNeeded, state)
                tracks = state.places?.tracks ?? tracks
            }
            state.announcementCount += 1
            (state.hasEnded, state.isAsleep) = (false, false)
            let version = (state.announcement?.version ?? 0) + 1
            let former = state.announcement?.tracks ?? tracks
            if state.announcement?.tracks != tracks {
                state.announcement = Announcement(tracks: tracks, version: version)
            }
            if !former.isCompatible(with: tracks) { state.timeOrder.forget() }
            state.ring.removeAll()
            state.awaitingKeyframe = Set(tracks.filter { $0.codec.facts.randomAccess == .keyframes }.map(\.id))
            let ended = state.feeds.filter { !$0.value.announced(tracks, former) }
            for key in ended.keys { state.feeds[key] = nil }
            return Array(ended.values)
        }
        demand.failure = nil
        for feed in ended { feed.wake() }
    }

    /// How a source's tracks become those that viewers were announced; `nil` if they are announced as they are.
    private static func places(of tracks: [Track], isNeeded: Bool, _ state: borrowing State) -> TrackPlaces? {
        guard let substitution = state.substitution, isNeeded || substitution.keepsTracks, !state.isAsleep,
            let announced = state.announcement?.tracks
        else { return nil }
        return TrackPlaces(of: tracks, among: announced).flatMap { $0.changesNothing ? nil : $0 }
    }

    /// Forgets what was published, because the source sleeps until the stream is needed. Nothing is described until it announces its
    /// tracks again, which may be others.
    public func sleep() {
        state.withLock { state in
            state.isAsleep = true
            state.ring.removeAll()
        }
    }

    /// Ends the stream because the end of its input is final. Repeated calls have no effect until the next announcement.
    ///
    /// Viewers keep what was published. The observer set by `observeEnd` ends their sessions.
    public func end() {
        let observer = state.withLock { state -> (@Sendable (Stream) -> Void)? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            state.ring.removeAll()
            return state.endObserver
        }
        observer?(self)
    }

    /// Sets the closure that `end` calls, on the source's thread.
    public func observeEnd(_ observer: @escaping @Sendable (Stream) -> Void) {
        state.withLock { $0.endObserver = observer }
    }

    /// Publishes the next access unit, in capture order. It never blocks for a viewer.
    ///
    /// Units of unannounced tracks, and frames before a source's first keyframe, are dropped.
    public func publish(_ unit: AccessUnit) {
        var unit = addingCaptureTime(unit)
        var isSourceUp = true
        let feeds = state.withLock { state -> [AnyFeed] in
            if let places = state.places {
                guard let placed = places.place(unit) else { return [] }
                unit = placed
            }
            guard let track = state.announcement?.tracks.first(where: { $0.id == unit.track }) else { return [] }
            guard admits(unit, &state) else { return [] }
            if state.awaitingKeyframe.contains(unit.track) {
                guard unit.isKeyframe else { return [] }
                state.awaitingKeyframe.remove(unit.track)
            }
            unit = state.timeOrder.inOrder(unit)
            swap(&isSourceUp, &state.isSourceUp)
            if track.kind == .video {
                state.published.pictureCount += 1
                if unit.isKeyframe { state.limiter.arrived() }
            }
            state.published.byteCount += unit.bytes.count
            let frameTrace =
                Self.isTraced(unit, among: state.announcement?.tracks ?? []) ? FrameTrace(unit, clock) : nil
            if let frameTrace { latencyTrace.began(frameTrace) }
            let feeds = Self.append(unit, to: &state)
            if let frameTrace { latencyTrace.packaged(frameTrace, at: clock.now) }
            return feeds
        }
        for feed in feeds { feed.wake() }
        // The first unit of a source.
        if !isSourceUp { events?.publish(path) { .sourceUp } }
    }

    /// Appends a unit to the history and to all feeds.
    static func append(_ unit: AccessUnit, to state: inout State) -> [AnyFeed] {
        let nanoseconds = unit.presentationTime.nanoseconds
        state.ring.append(unit, nanoseconds: nanoseconds, byteCount: unit.bytes.count)
        for (key, feed) in state.feeds where !feed.isNeeded(nanoseconds) { state.feeds[key] = nil }
        let feeds = Array(state.feeds.values)
        for feed in feeds { feed.append(unit) }
        return feeds
    }

    /// Whether the unit is traced: a whole unit of the leading track.
    private static func isTraced(_ unit: AccessUnit, among tracks: [Track]) -> Bool {
        unit.track == tracks.leading?.id && unit.part == .whole
    }

    /// The unit with its wall-clock capture time, also as an SEI message if the frame is to carry one.
    private func addingCaptureTime(_ unit: AccessUnit) -> AccessUnit {
        clock.follow()
        var unit = unit
        let instant = clock.instant(of: unit.presentationTime)
        let wallClock = clock.ntpTime(of: instant)
        unit.captured = wallClock
        guard let encodeTiming = unit.encodeTiming, captureTimeSEI.includes(unit) else { return unit }
        return unit.stamped(with: CaptureTimestamp(of: encodeTiming, captured: instant, wallClock: wallClock))
    }
}

// MARK: - Reading

extension Stream {
    /// The point at which a viewer joins: the history, and where the feed continues after it without a gap.
    public struct JoinPoint<P: Packager>: Sendable {
        /// The units in the ring, in capture order.
        public let history: [AccessUnit]
        /// The index in the feed of the first unit after the history.
        public let nextIndex: Int64
        /// The feed's packager in its state before that unit.
        public let packager: P
    }

    /// Returns the feed for this packager and these options, and creates it if it does not exist; `nil` before a source has
    /// announced its tracks, and after `end`.
    ///
    /// Every unit wakes `waker` from now on, until `Feed.detach`. A feed without readers is removed.
    public func feed<P: Packager>(_ packager: P.Type, options: P.Options, for waker: any Waker) -> Feed<P>? {
        state.withLock { state in
            guard let tracks = state.announcement?.tracks, !state.hasEnded, !state.isAsleep else { return nil }
            if let feed = state.feeds[FeedKey(packager, options)]?.feed as? Feed<P> {
                feed.attach(waker)
                return feed
            }
            let bounds = Ring<P.Output>.Bounds(
                nanoseconds: limits.history.nanoseconds, byteCount: limits.history.byteCount)
            let feed = Feed<P>(tracks: tracks, options: options, history: Self.all(of: state.ring), bounds: bounds)
            feed.attach(waker)
            state.feeds[FeedKey(packager, options)] = AnyFeed(feed)
            return feed
        }
    }

    /// The history and the index at which `feed` continues after it, taken at the same moment.
    public func joinPoint<P: Packager>(in feed: Feed<P>) -> JoinPoint<P> {
        state.withLock { state in
            let front = feed.front
            return JoinPoint(history: Self.all(of: state.ring), nextIndex: front.index, packager: front.packager)
        }
    }

    /// Whether the source encodes the frames itself, and so can make a keyframe at any time.
    public var hasEncoder: Bool { encoded.state.withLock { $0.source }?.status != nil }

    private static func all(of ring: borrowing Ring<AccessUnit>) -> [AccessUnit] {
        (ring.startIndex..<ring.endIndex).map { ring[$0] }
    }
}

/// The key of one feed: a packager type with its options.
struct FeedKey: Hashable {
    private let packager: ObjectIdentifier
    private let options: AnyHashableSendable

    init<P: Packager>(_ packager: P.Type, _ options: P.Options) {
        self.packager = ObjectIdentifier(packager)
        self.options = AnyHashableSendable(options)
    }
}

/// A hashable, sendable value of any type.
struct AnyHashableSendable: Hashable, Sendable {
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
