import Media
import RTP
import RateControl
import Streams

/// The viewers of one feed on one loop, and this loop's view of the feed.
final class Audience {
    let stream: Stream
    /// Makes what encodes tracks for these viewers run; `nil` if nothing does.
    private let use: StreamUse?
    let feed: PacketFeed
    let view = FeedView<PacketRun>()
    /// The feed's number of changes that the view contains.
    private var seenChangeCount: Int
    private(set) var viewers = ViewerList()
    /// The leading track, whose keyframes viewers can start at.
    private let leading: Track
    /// Limits the memory of fast starts.
    private let fastStartBudget: MemoryBudget
    /// The fast start for viewers that join now.
    private(set) var sharedFastStart: PackagedFastStart?
    /// The current round, or the last.
    private var round = ServiceRound()
    /// When the current round, or the last, sent its new runs; `nil` once this has been recorded.
    var sendTimes: SendTimes?
    /// When to repeat a keyframe request that the stream's rate limit refused.
    var keyframeRetry = MonotonicTime.distantFuture
    /// Damage that a client has reported and for which no keyframe could be requested yet.
    private(set) var damage: Damage?
    /// What the viewers' paths carry; kept to reuse its memory.
    var estimates = ViewerRates()
    /// Whether viewers have asked for lost packets since the last turn.
    var hasLosses = false
    /// Viewers of other renditions that move here at the next keyframe.
    var arrivals: [Viewer] = []
    /// How many steps of the wall clock the viewers' sender reports account for.
    private var clockStepCount: Int

    init(stream: Stream, feed: PacketFeed, fastStartBudget: MemoryBudget, use: StreamUse? = nil) {
        self.fastStartBudget = fastStartBudget
        self.stream = stream
        self.use = use
        self.feed = feed
        clockStepCount = stream.clock.follow()
        // An announced stream has at least one track: sources announce what they play.
        leading = feed.tracks.leading ?? feed.tracks[0]
        seenChangeCount = feed.changeCount()
        feed.update(&view.reader)
    }

    /// Adds what is new in the feed to the view.
    func updateView() {
        // Read first: a run that comes meanwhile belongs to the next turn, too.
        let count = feed.changeCount()
        guard count != seenChangeCount else { return }
        seenChangeCount = count
        feed.update(&view.reader)
        removeOldFastStart()
    }

    /// Follows the stream's clock; true if the wall clock has stepped since the last call on this audience.
    func followClock() -> Bool {
        let count = stream.clock.follow()
        defer { clockStepCount = count }
        return count != clockStepCount
    }

    func insert(_ viewer: Viewer) {
        let leading = leadingTrack(for: viewer).id
        viewer.place = AudiencePlace(feed: feed.id, leading: leading)
        viewers.insert(viewer, leading: leading)
        round.viewersChanged()
    }

    func remove(_ viewer: Viewer) {
        viewers.remove(viewer)
        if viewers.all.isEmpty { stream.removeRates(of: ObjectIdentifier(self)) }
        round.viewersChanged()
        viewer.place = nil
    }

    /// Whether no viewer is here or on its way.
    var isEmpty: Bool { viewers.all.isEmpty && arrivals.isEmpty }

    /// The track that decides where this viewer can start. A viewer may have set up audio only.
    private func leadingTrack(for viewer: Viewer) -> Track {
        if viewer.watches(leading.id) { return leading }
        return feed.tracks.first { viewer.watches($0.id) } ?? leading
    }

    /// Requests a keyframe, now or as soon as the limit allows.
    func requestKeyframe(at now: MonotonicTime) {
        keyframeRetry = stream.requestKeyframe(at: now) ?? .distantFuture
    }

    /// Requests a keyframe because a client has reported that packets are missing.
    func requestKeyframeAfterDamage(at now: MonotonicTime) {
        requestKeyframe(afterDamageBefore: view.endIndex, at: now)
    }

    /// Requests a keyframe because a packet will not reach a client, unless one has been captured since the packet was sent first.
    func requestKeyframe(afterLossOfPacketSentAt sent: MonotonicTime, at now: MonotonicTime) {
        if let keyframe = newestKeyframe, stream.epoch + keyframe.presentationTime.nanoseconds > sent {
            return
        }
        requestKeyframeAfterDamage(at: now)
    }

    /// Lets a viewer continue at a keyframe that the encoder makes for it, if that needs less of a full queue in the network than what the
    /// viewer has lost. After congestion the encoder makes smaller keyframes, so the last one counts half. Nothing is sent until the queue
    /// is empty: it would drop a part of the keyframe, too.
    func replaceLosses(of request: RepairRequest, with transmitter: Transmitter) {
        let (viewer, now) = (request.viewer, transmitter.now)
        guard let drops = transmitter.drops(for: request), stream.hasEncoder, let keyframe = newestKeyframe,
            keyframe.byteCount / 2 <= drops.byteCount
        else { return }
        let formerly = viewer.droppedUnits
        viewer.skipToNextKeyframe(in: view, at: now)
        transmitter.statistics.droppedUnits += viewer.droppedUnits - formerly
        keyframeRetry = min(keyframeRetry, now + drops.queueTime)
    }

    /// The newest keyframe of the last five seconds.
    private var newestKeyframe: PacketRun? {
        view.recentKeyframe(from: view.startIndex, of: leading.id, within: Damage.lifetime).flatMap(view.output)
    }

    private func requestKeyframe(afterDamageBefore endIndex: Int64, at now: MonotonicTime) {
        damage = stream.requestKeyframe(afterLossAt: now).map { Damage(endIndex: endIndex, retry: $0) }
    }

    /// Requests it again, unless a keyframe has come meanwhile.
    func retryAfterDamage(at now: MonotonicTime) {
        guard let damage else { return }
        let isHealed = view.recentKeyframe(from: damage.endIndex, of: leading.id, within: Damage.lifetime) != nil
        if isHealed { self.damage = nil } else { requestKeyframe(afterDamageBefore: damage.endIndex, at: now) }
    }

    /// Whether a viewer must be served soon because it is paced.
    var isPacing: Bool { viewers.behind.contains { $0.pacer != nil && $0.isPlaying } }
}

/// Damage to frames that a client has reported.
struct Damage {
    /// The index after the newest run at the time. A keyframe from here on heals the damage.
    let endIndex: Int64
    /// When to request a keyframe.
    let retry: MonotonicTime

    /// How long it may last, in nanoseconds.
    static let lifetime: Int64 = 5_000_000_000
}

// MARK: - Joining

extension Audience {
    /// Sets the viewer's start: the beginning of a fast start, or the next keyframe.
    func join(_ viewer: Viewer, options: JoinOptions, at now: MonotonicTime) {
        // A viewer without fast start needs no history, which is thousands of references.
        let isLive = options.mode == .keyframe || viewer.isMulticast
        let fastStart = isLive ? nil : fastStart(for: viewer, options: options)
        viewer.follower.join(
            at: fastStart?.nextIndex ?? liveStart(for: viewer), fastStart: fastStart?.runs ?? [], at: now)
        viewer.fastStartCharge = fastStart?.charge
        viewer.timing.compression = fastStart?.compression
        viewer.forgetSentPackets()
        viewer.suspendedUntil = now
        guard let fastStart, !fastStart.runs.isEmpty else { return requestKeyframe(at: now) }
        if viewer.output == nil { viewer.pacer = Pacer(limits: Pacer.Limits()) }
    }

    /// The index at which a viewer begins that gets no history.
    private func liveStart(for viewer: Viewer) -> Int64 {
        let leading = leadingTrack(for: viewer).id
        let others = feed.tracks.map(\.id).filter { $0 != leading && viewer.watches($0) }
        return view.liveStart(leading: leading, others: Set(others))
    }

    /// The packaged fast start up to the newest unit, made once for all viewers that join before the next unit.
    private func fastStart(for viewer: Viewer, options: JoinOptions) -> PackagedFastStart {
        let watched = feed.tracks.map { viewer.watches($0.id) }
        if let shared = sharedFastStart, shared.serves(watched, options, at: feed.endIndex()) { return shared }
        let point = feed.joinPoint(stream)
        let fastStart = FastStart(
            history: point.history.filter { viewer.watches($0.track) }, leading: leadingTrack(for: viewer),
            window: options.fastStartWindow, limits: options.fastStart)
        // If there is no memory for it, the viewer starts at the next keyframe.
        let charge = fastStart.flatMap { fastStartBudget.charge($0.units.reduce(0) { $0 + $1.bytes.count }) }
        let runs = charge == nil ? [] : fastStart.map { point.package($0.units) } ?? []
        let packaged = PackagedFastStart(
            runs: runs, charge: charge, compression: runs.isEmpty ? nil : fastStart?.compressedTimes,
            nextIndex: point.nextIndex, watched: watched, options: options)
        sharedFastStart = packaged
        return packaged
    }

    /// Releases the shared fast start if the feed has advanced, because no viewer joins there any more.
    private func removeOldFastStart() {
        guard let shared = sharedFastStart, shared.nextIndex != view.endIndex else { return }
        sharedFastStart = nil
    }

    /// The first packet of each of the viewer's tracks, for RTP-Info (RFC 2326, section 12.33).
    ///
    /// - Returns: an entry without `timestamp` for each track without a first unit.
    func firstPackets(of viewer: Viewer) -> [FirstPacket] {
        let leading = leadingTrack(for: viewer).id
        return viewer.tracks.indices.compactMap { index in
            guard let track = viewer.tracks[index], viewer.isFirst(track, at: index) else { return nil }
            let run = firstRun(
                of: viewer.encapsulation == .tracks ? TrackID(index) : nil, for: viewer, leading: leading)
            return FirstPacket(
                track: TrackID(index), sequenceNumber: track.rewriter.nextSequenceNumber,
                timestamp: run.map { viewer.ticks(of: $0) &+ track.rewriter.timestampOffset })
        }
    }

    /// The viewer's first run of `track`; of any track if that is `nil`.
    private func firstRun(of track: TrackID?, for viewer: Viewer, leading: TrackID) -> PacketRun? {
        if let run = viewer.follower.fastStart.first(where: { track == nil || $0.track == track }) { return run }
        var index = max(viewer.follower.position.index, view.startIndex)
        while let run = view.output(at: index) {
            if track == nil || run.track == track, viewer.passes(run, leading: leading) { return run }
            index += 1
        }
        return nil
    }
}

// MARK: - Serving

extension Audience {
    /// The progress of one turn.
    enum Progress {
        /// There was nothing to send.
        case none
        /// Every viewer was served.
        case complete
        /// Some viewers are left for the next turn, which must come soon.
        case partial
    }

    /// Serves every viewer once if there is something new, otherwise those that are behind, within the turn's allowance.
    func serveAll(with transmitter: Transmitter) -> Progress {
        guard !viewers.all.isEmpty else { return .none }
        let former = round.endIndex
        if round.begin(at: view.endIndex, viewerCount: viewers.all.count) {
            // Runs from before the first round are history.
            if round.endIndex != former { sendTimes = former < 0 ? nil : SendTimes(former..<round.endIndex) }
            return serveEach(with: transmitter)
        }
        viewers.resumeSuspended(at: transmitter.now)
        return viewers.behind.isEmpty ? .none : serveViewersBehind(with: transmitter)
    }

    /// How many viewers ahead memory is prefetched: serving three takes longer than a memory access.
    private static let prefetchDistance = 3

    private func serveEach(with transmitter: Transmitter) -> Progress {
        var round = round
        defer { self.round = round }
        while transmitter.hasAllowance {
            guard let index = round.next(of: viewers.all.count) else {
                return round.endIndex == view.endIndex ? .complete : .partial
            }
            viewers.memory[(index + Self.prefetchDistance) % viewers.memory.count].prefetch()
            serve(viewers.all[index], with: transmitter)
        }
        return .partial
    }

    private func serveViewersBehind(with transmitter: Transmitter) -> Progress {
        var behind = viewers.takeBehind()
        defer { viewers.reuse(&behind) }
        for (index, viewer) in behind.enumerated() {
            guard transmitter.hasAllowance else {
                viewers.listFirst(behind[index...])
                return .partial
            }
            serve(viewer, with: transmitter)
        }
        return .complete
    }

    /// Sends one viewer what it has not been sent yet, as far as its transport takes it.
    func serve(_ viewer: Viewer, with transmitter: Transmitter) {
        transmitter.serve(viewer, in: view)
        if transmitter.takeKeyframeRequest() { requestKeyframe(at: transmitter.now) }
        guard !viewer.follower.isCaughtUp(in: view), viewer.isPlaying else { return }
        if viewer.isSuspended(at: transmitter.now) { viewers.suspend(viewer) } else { viewers.listBehind(viewer) }
    }

    /// Lists a viewer as behind, because messages were given back.
    func wasRolledBack(_ viewer: Viewer) { viewers.listBehind(viewer) }

    /// Records in the stream, once per round, that all viewers that keep up were sent the round's runs by `last`.
    ///
    /// Only whole frames are recorded: if slices come one by one, it is unknown which call sent the first.
    func recordSendTimes(at last: MonotonicTime) {
        guard let sendTimes, !round.isUnderWay else { return }
        self.sendTimes = nil
        for index in sendTimes.runs {
            guard let run = view.output(at: index), run.track == leading.id, run.part == .whole else { continue }
            stream.latencyTrace.sent(
                captured: stream.epoch + run.presentationTime.nanoseconds, first: sendTimes.first ?? last, last: last)
        }
    }
}
