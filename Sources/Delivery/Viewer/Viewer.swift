import Media
import RTP
import Streams

/// One viewer of one stream: a follower of a feed, with its own sequence numbers and timestamps. It has no queue.
///
/// Sequence numbers stay contiguous even if units are skipped (a gap would look like loss); timestamps jump. Confined to its
/// loop.
public final class Viewer {
    /// The state of the viewer.
    enum Phase: Equatable {
        /// Set up, or paused: nothing is sent.
        case idle
        /// PLAY is being answered: the first packets are determined.
        case joining
        case playing(since: MonotonicTime)
    }

    /// The canonical name in its reports (RFC 3550, section 6.5.1), for the logs of both sides.
    let canonicalName: String
    /// The tracks that it has set up, by their index in the stream.
    public internal(set) var tracks: [ViewerTrack?]
    /// The connection that carries its interleaved packets; `nil` on UDP.
    public private(set) var output: TCPOutput?
    /// Whether it gets one RTP stream per track, or all tracks in one MPEG-TS stream.
    public let encapsulation: RTPEncapsulation
    /// Whether it can receive no other audio than Opus, as browsers. Other audio is encoded as Opus for it.
    public let needsOpus: Bool
    /// Whether it stands for a multicast group. A fast start would disturb the clients that watch already.
    public let isMulticast: Bool

    var phase = Phase.idle
    /// Its place in the feed.
    var follower: Follower<PacketRun>
    /// Its place among the viewers of its audience; `nil` if it has none.
    var place: AudiencePlace?
    /// The time between two sender reports, in nanoseconds.
    public var reportInterval = Reports.interval
    /// How its timestamps begin.
    var timing = ViewerTiming()
    /// Spreads the fast start and large units on UDP; `nil` if nothing is spread.
    var pacer: Pacer?
    /// The sender that its latest UDP message was added to.
    var lastSender: UDPSender?
    /// Until when its full connection is not checked, unless the socket becomes writable.
    var suspendedUntil = MonotonicTime(nanoseconds: .min / 2)
    /// The memory of its fast start.
    var fastStartCharge: MemoryBudget.Charge?
    /// Until when its fast start is kept after it was sent, because packets of it may be lost.
    var fastStartKeptUntil = MonotonicTime(nanoseconds: .min / 2)
    /// Whether it is not sent frames that no other refers to, because it is a little slow.
    var isThinned = false
    /// Whether it skips to a keyframe because it has lost much.
    private(set) var isSkipping = false
    /// Frames that it was not sent for these reasons.
    private(set) var leftOutFrames: UInt64 = 0
    /// Whether it is sent each packet twice in succession (``TrackRepair/Copies``).
    private(set) var sendsCopiesInSuccession = false
    /// Whether nothing is sent for a moment, because the keyframe that it moves to is on its way.
    var isHeld = false
    /// Where it begins in the feed that it moved to; `nil` once it has begun on all tracks.
    private var resumption: FeedCrossing?

    // Serving a viewer that keeps up reads nothing of what follows, so it may be far from the beginning (``ViewerMemory``).

    /// The repair of lost packets; `nil` if its client does not ask for any.
    var repair: ViewerRepair?
    /// What its path carries; `nil` if the encoder does not follow its viewers.
    var path: ViewerPath?
    /// The renditions that it moves between; `nil` if it stays.
    var renditions: ViewerRenditions?
    /// How often its client may make the encoder send a keyframe: ten times, then once a second.
    var keyframeRequests = TokenBucket(.init(burst: 10, every: 1_000_000_000))

    public init(
        canonicalName: String, trackCount: Int, encapsulation: RTPEncapsulation = .tracks, needsOpus: Bool = false,
        output: TCPOutput?, isMulticast: Bool = false, at now: MonotonicTime
    ) {
        self.canonicalName = canonicalName
        self.output = output
        self.isMulticast = isMulticast
        (self.encapsulation, self.needsOpus) = (encapsulation, needsOpus)
        tracks = Array(repeating: nil, count: trackCount)
        follower = Follower(at: now)
    }

    /// Units that were skipped because it did not keep up.
    public var droppedUnits: UInt64 { follower.droppedUnits &+ leftOutFrames }

    /// Decides whether a run, which is its next, is left out because the viewer is a little slow, and counts it then.
    func thinOut(_ run: PacketRun) -> Bool {
        guard isThinned, run.isDisposable, follower.position.offset == 0, !follower.isInFastStart, watches(run.track)
        else { return false }
        leftOutFrames &+= 1
        return true
    }

    /// Counts a run that is left out because the viewer skips to a keyframe.
    ///
    /// - Returns: whether it is left out for that reason.
    func skips(_ run: PacketRun, leading: TrackID) -> Bool {
        isSkipping = isSkipping && follower.isAwaitingKeyframe
        guard isSkipping, run.track == leading else { return false }
        leftOutFrames &+= 1
        return true
    }

    var isPlaying: Bool {
        if case .playing = phase { true } else { false }
    }

    /// Sends another way from now on. No batch may contain messages of it; what a connection has of a packet stays there.
    func move(to way: MultiplexedWay, at now: MonotonicTime) {
        output = way.output
        for track in tracks { track?.transport = way.transport }
        // What was learnt is about the former path.
        (path, lastSender) = (nil, nil)
        pacer = output == nil && follower.isInFastStart ? Pacer(limits: Pacer.Limits()) : nil
        suspendedUntil = now
    }

    // MARK: Tracks

    /// Adds a track that SETUP negotiated. If the track was set up before, it is replaced.
    ///
    /// - Parameter limits: how much may be sent again, if the track repairs losses.
    public func setUp(
        _ track: TrackID, as viewerTrack: ViewerTrack, limits: RetransmissionBudget.Limits = .init()
    ) {
        tracks[track.index] = viewerTrack
        if viewerTrack.repair?.rules != nil, repair == nil { repair = ViewerRepair(limits: limits) }
    }

    /// Sends all tracks of the stream as this one RTP stream.
    public func setUpAll(as viewerTrack: ViewerTrack) {
        if case .inSuccession = viewerTrack.repair?.copies { sendsCopiesInSuccession = true }
        tracks = Array(repeating: viewerTrack, count: tracks.count)
    }

    /// Whether no track before `index` shares this RTP stream.
    func isFirst(_ track: ViewerTrack, at index: Int) -> Bool {
        tracks.firstIndex { $0 === track } == index
    }

    /// Whether the viewer has set up this track.
    func watches(_ track: TrackID) -> Bool {
        track.index < tracks.count && tracks[track.index] != nil
    }

    /// Whether `run`, which is its next, is sent; otherwise it is left out.
    func passes(_ run: PacketRun, leading: TrackID) -> Bool {
        guard watches(run.track), follower.passes(run, leading: leading) else { return false }
        guard let isAdmitted = resumption?.admits(run) else { return true }
        if resumption?.isComplete == true { resumption = nil }
        return isAdmitted
    }

    /// The run's RTP timestamp, before this viewer's offset.
    func ticks(of run: PacketRun) -> UInt32 {
        // The times of the fast start are compressed already.
        follower.isInFastStart ? run.presentationTime.rtpTicks : timing.ticks(of: run)
    }

    /// The RTP timestamp of a run that it was sent, before this viewer's offset.
    func ticks(of run: PacketRun, at place: SentLedger.RunPlace) -> UInt32 {
        switch place {
        case .feed: timing.ticks(of: run)
        case .fastStart: run.presentationTime.rtpTicks
        }
    }

    // MARK: Sending

    /// What its follower asks of its transport.
    func transport(at now: MonotonicTime) -> ViewerTransport {
        // A client reads its fast start as fast as it can decode, so unread bytes are no lag at first.
        guard case .playing(let start) = phase, now - start > Follower<PacketRun>.fastStartReadingTime else {
            return ViewerTransport(output: output, countsUnread: false)
        }
        return ViewerTransport(output: output, countsUnread: true)
    }

    /// Whether its connection was full a short time ago.
    func isSuspended(at now: MonotonicTime) -> Bool {
        suspendedUntil > now && output != nil && (follower.isDraining || output?.isBlocked == true)
    }

    /// The track that decides where it can start, if it was set up.
    var leadingTrack: ViewerTrack? { place.flatMap { tracks[$0.leading.index] } }

    /// Forgets what its packets carried, because it begins anew.
    func forgetSentPackets() {
        for track in tracks { track?.repair?.forgetSentPackets() }
    }

    /// Continues in another feed. No batch may contain messages of the former one.
    func cross(by crossing: FeedCrossing) {
        endFastStart()
        timing.compression = nil
        forgetSentPackets()
        follower.move(to: crossing.index, skipping: crossing.skippedCount)
        resumption = crossing
        suspendedUntil = MonotonicTime(nanoseconds: .min / 2)
        isHeld = false
    }

    /// Leaves out what waits, and continues at the next keyframe. What was sent before is not sent again.
    func skipToNextKeyframe(in view: FeedView<PacketRun>, at now: MonotonicTime) {
        follower.skipToNextKeyframe(in: view)
        isSkipping = true
        repair?.replacesAll(before: now)
        pacer = nil
    }

    /// Releases the fast start. No batch may contain messages of it.
    func endFastStart() {
        follower.releaseFastStart()
        fastStartCharge = nil
    }

    /// Returns to the state before a message that the kernel did not take.
    func rollBack(_ message: SendBatch.UnsentMessage, to checkpoint: Follower<PacketRun>.Checkpoint) {
        follower.rollBack(to: checkpoint)
        tracks[message.track.index]?.rollBack(packets: message.packetCount, octets: message.octetCount)
    }
}

/// The place of a viewer among the viewers of its audience.
struct AudiencePlace {
    /// The feed of the audience.
    let feed: ObjectIdentifier
    /// The track that decides where this viewer can start.
    let leading: TrackID
    /// Whether it is listed among those that were not sent everything.
    var isListedBehind = false
}

/// When a viewer's units and reports are due.
struct ViewerTiming {
    /// Compresses the timestamps of B-frames of one track that follow the fast start in decoding order but are shown before its
    /// end.
    var compression: (track: TrackID, times: TimeCompression)?
    /// The RTP time of the last run it was sent, before its offset.
    var lastTicks: UInt32?
    /// When its next sender reports are due.
    var nextReport = MonotonicTime.distantFuture

    /// The run's RTP time after the fast start.
    func ticks(of run: PacketRun) -> UInt32 {
        guard let compression, run.track == compression.track else { return run.presentationTime.rtpTicks }
        return UInt32(truncatingIfNeeded: compression.times(run.presentationTime.ticks))
    }
}
