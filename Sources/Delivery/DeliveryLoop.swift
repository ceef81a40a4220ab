import Media
import RTP
import RateControl
import Reactor
import Streams

/// The RTP delivery of one loop: all its viewers, grouped by the feed they watch. Confined to the loop.
public final class DeliveryLoop {
    /// The configuration of delivery.
    public struct Options: Hashable, Sendable {
        public var packaging = RTPPackager.Options()
        public var policy = SlowViewerPolicy()
        public var pacing = UnitPacing()
        public var repair = RepairOptions()

        public init() {}
    }

    /// Something that the owner must handle.
    public enum Event {
        /// The viewer has taken nothing for too long.
        case stalled(Viewer)
        /// The viewer gets another rendition from now on.
        case moved(Viewer, to: Stream, because: MoveReason)
        /// The stream's tracks have changed, so that what the viewer negotiated no longer holds.
        case ended(Viewer)
    }

    /// The time between two rounds of reports, in nanoseconds.
    private static let reportInterval: Int64 = 500_000_000

    private let options: Options
    /// Limits the memory of fast starts; shared with other loops.
    public let fastStartBudget: MemoryBudget
    let waker: any Waker
    let transmitter: Transmitter
    private(set) var audiences: [ObjectIdentifier: Audience] = [:]
    /// Whether viewers may be on their way to another audience.
    var hasArrivals = false
    /// The audiences that are sent new runs in this turn. The send times of these runs are recorded at its end.
    private var timed: [Audience] = []
    private var nextReportCheck: MonotonicTime
    private var nextRateCheck = MonotonicTime(nanoseconds: .min / 2)
    var events: [Event] = []
    /// Lost packets, to be sent again in the next turn.
    var repairs: [RepairRequest] = []

    /// - Parameters:
    ///   - waker: wakes the loop that owns this.
    ///   - fastStartBudget: limits the memory of fast starts; shared with other loops.
    public init(
        options: Options, waker: any Waker, fastStartBudget: MemoryBudget = MemoryBudget(), at now: MonotonicTime
    ) {
        self.options = options
        self.fastStartBudget = fastStartBudget
        self.waker = waker
        transmitter = Transmitter(
            policy: options.policy, pacing: options.pacing, retransmissions: options.repair.loopLimits)
        nextReportCheck = now + Self.reportInterval
    }

    /// How slow viewers are treated.
    public var policy: SlowViewerPolicy { options.policy }

    public var statistics: DeliveryStatistics { transmitter.statistics }

    /// Viewers that play or are about to.
    public var viewerCount: Int { audiences.values.reduce(0) { $0 + $1.viewers.all.count } }

    /// The events since the last call.
    public func takeEvents() -> [Event] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }
}

// MARK: - Joining and leaving

extension DeliveryLoop {
    /// Lets a viewer join. Its first packets are known from here on, as far as they exist, but nothing is sent before `start`.
    ///
    /// On UDP the first sender reports leave now, ahead of the PLAY reply: if VLC gets them after it, it may reset its decoder.
    /// - Parameter moves: whether it moves between the stream's renditions, if there are any.
    /// - Returns: false if the stream has no feed, or has other tracks than the viewer was created for.
    public func join(
        _ viewer: Viewer, stream: Stream, options join: JoinOptions, moves: Bool = false, at now: MonotonicTime
    ) -> Bool {
        // A viewer that does not play is not notified when the tracks change, so the tracks that it has set up may be
        // others than the feed's.
        guard let audience = makeAudience(of: stream, for: viewer) else { return false }
        cancelMove(of: viewer)
        if self.audience(of: viewer) !== audience {
            remove(viewer)
            audience.insert(viewer)
        }
        audience.join(viewer, options: join, at: now)
        viewer.renditions = moves ? ViewerRenditions(of: stream) : nil
        viewer.phase = .joining
        if viewer.output == nil { reports(for: audience).send(to: viewer, at: now) }
        return true
    }

    /// The content of RTP-Info. A track without a first unit has no timestamp yet.
    public func firstPackets(of viewer: Viewer) -> [FirstPacket] {
        audience(of: viewer)?.firstPackets(of: viewer) ?? []
    }

    /// Starts sending. The PLAY reply is on its way, or waits in the viewer's output.
    public func start(_ viewer: Viewer, at now: MonotonicTime) {
        guard let audience = audience(of: viewer), viewer.phase == .joining else { return }
        if viewer.output != nil { reports(for: audience).send(to: viewer, at: now) }
        viewer.phase = .playing(since: now)
        if viewer.repair != nil { viewer.fastStartKeptUntil = now + RepairOptions.fastStartKeeping }
        transmitter.begin(at: now)
        viewer.pacer = viewer.pacer.map { _ in Pacer(limits: Pacer.Limits()) }
        audience.serve(viewer, with: transmitter)
        flush()
    }

    /// Stops sending. The viewer may join again.
    public func pause(_ viewer: Viewer) {
        viewer.phase = .idle
        viewer.endFastStart()
        remove(viewer)
    }

    /// Sends an RTCP BYE and removes the viewer.
    public func end(_ viewer: Viewer, at now: MonotonicTime) {
        guard let audience = audience(of: viewer) else { return }
        reports(for: audience).sendGoodbye(to: viewer)
        pause(viewer)
    }

    /// The viewer's output can take more.
    public func outputBecameWritable(of viewer: Viewer, at now: MonotonicTime) {
        guard let audience = audience(of: viewer) else { return }
        viewer.suspendedUntil = now
        transmitter.begin(at: now)
        audience.serve(viewer, with: transmitter)
        flush()
    }

    /// Sends to the viewer another way from now on.
    public func move(_ viewer: Viewer, to way: MultiplexedWay, at now: MonotonicTime) {
        let mayLackPackets = viewer.output == nil && way.output != nil
        viewer.move(to: way, at: now)
        // What its client asks for is not sent again over a connection.
        if mayLackPackets { audience(of: viewer)?.requestKeyframeAfterDamage(at: now) }
    }

    private func remove(_ viewer: Viewer) {
        cancelMove(of: viewer)
        (viewer.renditions, viewer.path) = (nil, nil)
        guard let audience = audience(of: viewer) else { return }
        audience.remove(viewer)
        removeIfEmpty(audience)
    }

    /// Removes an audience without viewers.
    func removeIfEmpty(_ audience: Audience) {
        guard audience.isEmpty else { return }
        audience.feed.detach(waker)
        audiences[audience.feed.id] = nil
    }

    /// The stream that viewers of this kind are served from: it may be another one, in which some tracks are encoded again.
    ///
    /// - Parameter needsOpus: whether they can receive no other audio (``Viewer/needsOpus``).
    public static func source(
        of stream: Stream, for encapsulation: RTPEncapsulation, needsOpus: Bool = false
    ) -> Stream {
        switch encapsulation {
        case .tracks where needsOpus: stream.stream(carrying: { $0.kind != .audio || $0.codec == .opus }, as: .opus)
        case .tracks: stream.stream(for: RTPPackager.self)
        case .transportStream: stream.stream(for: MPEGTSPackager.self)
        }
    }

    private func feed(of stream: Stream, encapsulation: RTPEncapsulation) -> PacketFeed? {
        switch encapsulation {
        case .tracks: stream.feed(RTPPackager.self, options: options.packaging, for: waker).map(PacketFeed.init)
        case .transportStream:
            stream.feed(
                MPEGTSPackager.self, options: .init(maximumPacketBytes: options.packaging.maximumPacketBytes),
                for: waker
            ).map(PacketFeed.init)
        }
    }

    /// The audience that a viewer belongs to, from joining until it pauses or ends.
    func audience(of viewer: Viewer) -> Audience? { viewer.place.flatMap { audiences[$0.feed] } }

    /// The audience of a stream for viewers like this one; `nil` if the stream has no feed, or one with other tracks.
    func makeAudience(of stream: Stream, for viewer: Viewer) -> Audience? {
        let source = Self.source(of: stream, for: viewer.encapsulation, needsOpus: viewer.needsOpus)
        guard let feed = feed(of: source, encapsulation: viewer.encapsulation) else { return nil }
        let existing = audiences[feed.id]
        guard feed.tracks.count == viewer.tracks.count else {
            if existing == nil { feed.detach(waker) }
            return nil
        }
        if let existing { return existing }
        // A multicast group has no session that would keep the source of its own running.
        let use = source === stream ? nil : StreamUse(of: source)
        let audience = Audience(stream: source, feed: feed, fastStartBudget: fastStartBudget, use: use)
        audiences[feed.id] = audience
        return audience
    }

    /// Sends sender reports at once, when a client joins a multicast group that is already being sent. Its player cannot align
    /// the tracks before it has a report.
    public func report(to viewer: Viewer, at now: MonotonicTime) {
        guard let audience = audience(of: viewer), viewer.isPlaying else { return }
        reports(for: audience).send(to: viewer, at: now)
    }

    /// Sends an RTCP packet on one of the viewer's tracks.
    public func send(_ packet: Compound, on track: ViewerTrack, of viewer: Viewer, at now: MonotonicTime) {
        Reports.deliver(packet, of: track, to: viewer)
        viewer.output?.flush(at: now)
    }

    private func reports(for audience: Audience) -> Reports {
        // The clock may not have been checked since the last viewer left.
        audience.stream.clock.follow()
        return Reports(clock: audience.stream.clock)
    }
}

// MARK: - Turns

extension DeliveryLoop {
    /// Runs one turn of the loop: updates feeds, serves viewers, and sends due reports.
    ///
    /// - Returns: the latest time for the next call.
    public func turn(at now: MonotonicTime) -> MonotonicTime {
        transmitter.begin(at: now)
        if hasArrivals { admitArrivals(at: now) }
        var isPartial = false
        for audience in audiences.values {
            audience.updateView()
            repairLosses(of: audience, at: now)
            transmitter.beginShare(of: audiences.count)
            if audience.serveAll(with: transmitter) == .partial { isPartial = true }
            recordFirstSendTime(for: audience)
            if audience.sendTimes != nil { timed.append(audience) }
            if audience.keyframeRetry <= now { retryKeyframeRequest(for: audience, at: now) }
            if let damage = audience.damage, damage.retry <= now { audience.retryAfterDamage(at: now) }
            if audience.view.reader.hasEnded { end(audience, at: now) }
        }
        flush()
        repairs.removeAll(keepingCapacity: true)
        recordAllSendTimes()
        if nextReportCheck <= now { sendDueReports(at: now) }
        if nextRateCheck <= now { observeRates(at: now) }
        return isPartial ? now : nextDeadline(after: now)
    }

    /// Ends the viewers of a feed that has ended. Those that came from another rendition return there, and those on their way stay.
    private func end(_ audience: Audience, at now: MonotonicTime) {
        for viewer in audience.arrivals { cancelMove(of: viewer) }
        for viewer in audience.viewers.all where !returnHome(viewer, at: now) { events.append(.ended(viewer)) }
    }

    /// Hands all batches to the kernel, and handles what has come of the turn so far.
    func flush() {
        transmitter.flush()
        let outcome = transmitter.takeOutcome()
        for viewer in outcome.rolledBack { audience(of: viewer)?.wasRolledBack(viewer) }
        events += outcome.stalled.map(Event.stalled)
    }

    private func recordFirstSendTime(for audience: Audience) {
        guard let call = transmitter.takeFirstSendTime() else { return }
        if let sendTimes = audience.sendTimes, sendTimes.first == nil { audience.sendTimes?.first = call }
    }

    /// Records in each stream when its runs were sent. The rest of a turn's batches leaves at its end, for all audiences.
    private func recordAllSendTimes() {
        guard !timed.isEmpty else { return }
        let call = transmitter.takeFirstSendTime()
        let now = MonotonicTime.now()
        for audience in timed {
            if let sendTimes = audience.sendTimes, sendTimes.first == nil { audience.sendTimes?.first = call }
            audience.recordSendTimes(at: now)
        }
        timed.removeAll(keepingCapacity: true)
    }

    private func retryKeyframeRequest(for audience: Audience, at now: MonotonicTime) {
        audience.keyframeRetry = .distantFuture
        if audience.viewers.all.contains(where: { $0.follower.isAwaitingKeyframe }) {
            audience.requestKeyframe(at: now)
        }
    }

    /// Sends all due reports in one round. No viewer has a timer of its own.
    private func sendDueReports(at now: MonotonicTime) {
        nextReportCheck = now + Self.reportInterval
        for audience in audiences.values {
            let isStepped = audience.followClock()
            let reports = Reports(clock: audience.stream.clock)
            for viewer in audience.viewers.all where isReportDue(for: viewer, isStepped, at: now) {
                reports.send(to: viewer, at: now)
                viewer.output?.flush(at: now)
            }
            sendFillers(of: audience, at: now)
        }
        flush()
    }

    /// After this time without packets a viewer is sent a filler, because its player might otherwise disconnect, in nanoseconds.
    private static let fillerInterval: Int64 = 500_000_000

    private func sendFillers(of audience: Audience, at now: MonotonicTime) {
        guard let filler = audience.feed.filler else { return }
        for viewer in audience.viewers.all where now - viewer.follower.lastProgress >= Self.fillerInterval {
            transmitter.send(filler: filler, to: viewer, in: audience.view, epoch: audience.stream.epoch)
        }
    }

    /// Whether reports are due. A viewer with a full connection gets its report later, because a waiting report grows old.
    private func isReportDue(for viewer: Viewer, _ isClockStepped: Bool, at now: MonotonicTime) -> Bool {
        viewer.isPlaying && (isClockStepped || viewer.timing.nextReport <= now) && viewer.output?.isBlocked != true
    }

    /// Tells the streams what their viewers can receive.
    private func observeRates(at now: MonotonicTime) {
        var isFollowed = false
        for audience in audiences.values where observeRates(of: audience, at: now) { isFollowed = true }
        // The encoder of a stream may begin to follow its viewers at any time.
        nextRateCheck = now + (isFollowed ? ViewerPath.interval : Self.reportInterval)
    }

    private func nextDeadline(after now: MonotonicTime) -> MonotonicTime {
        guard !audiences.isEmpty else { return .distantFuture }
        var deadline = min(nextReportCheck, nextRateCheck)
        for audience in audiences.values {
            deadline = min(deadline, audience.keyframeRetry, audience.damage?.retry ?? .distantFuture)
            if !audience.viewers.suspended.isEmpty { deadline = min(deadline, audience.viewers.nextSuspendedCheck) }
            if audience.isPacing { deadline = min(deadline, now + Transmitter.paceInterval) }
        }
        return deadline
    }
}
