import Media
import RTP
import Reactor
import Streams

/// Sends to the viewers of a loop. It holds the batches that they share, the policy for slow viewers, and the counters. Confined
/// to its loop.
///
/// ``serve(_:in:)`` is the way of each run: is the viewer keeping up? which run is next? is it sent? over UDP or TCP? Nothing here
/// allocates, locks or throws per packet; references are counted per run.
final class Transmitter {
    let policy: SlowViewerPolicy
    private let pacing: UnitPacing
    private let interleaved = InterleavedBatch()
    /// The bytes that may be sent again to all viewers of the loop.
    var retransmissions: TokenBucket
    var statistics = DeliveryStatistics()
    /// The turn that is under way.
    private(set) var turn = TransmitterTurn()
    /// Senders with unsent messages.
    private var sendersInUse: [UDPSender] = []

    init(
        policy: SlowViewerPolicy, pacing: UnitPacing = UnitPacing(),
        retransmissions: TokenBucket.Limits = RepairOptions().loopLimits
    ) {
        (self.policy, self.pacing) = (policy, pacing)
        self.retransmissions = TokenBucket(retransmissions)
    }

    /// When the turn began.
    var now: MonotonicTime { turn.now }

    /// Begins a turn.
    func begin(at now: MonotonicTime) {
        turn.begin(at: now)
    }

    /// Begins the share of one of `count` audiences in the turn.
    func beginShare(of count: Int) {
        turn.beginShare(of: count)
    }

    /// Whether more may be sent in this share. A message that has begun is finished.
    var hasAllowance: Bool { turn.allowance > 0 }

    /// What has come of the turn, except the time of its first system call. Afterwards it counts anew.
    func takeOutcome() -> TransmitterTurn.Outcome { turn.takeOutcome() }

    /// When the first system call began since the turn began, or since this was last called; `nil` if there was none.
    func takeFirstSendTime() -> MonotonicTime? { turn.takeFirstSendTime() }

    /// Whether a viewer has asked for a keyframe since this was last called.
    func takeKeyframeRequest() -> Bool { turn.takeKeyframeRequest() }
}

// MARK: - Serving

extension Transmitter {
    /// Sends a viewer what it has not been sent yet, as far as its transport takes it.
    func serve(_ viewer: Viewer, in view: FeedView<PacketRun>) {
        guard viewer.isPlaying, let leading = viewer.place?.leading else { return }
        if viewer.isHeld { return }
        if viewer.isSuspended(at: now) { return viewer.follower.blocked(at: now) }
        defer { if viewer.output != nil { viewer.suspendedUntil = now + TCPOutput.measurementInterval } }
        // Batches are flushed at the end of each turn, so nothing points into a fast start that ended in an earlier turn.
        if !viewer.follower.fastStart.isEmpty, !viewer.follower.isInFastStart, viewer.fastStartKeptUntil <= now {
            viewer.endFastStart()
        }
        while isKeepingUp(viewer, in: view, leading), let run = viewer.follower.next(in: view) {
            if viewer.isThinned, viewer.thinOut(run) {
                statistics.droppedUnits += 1
            } else if viewer.passes(run, leading: leading) {
                if run.track == leading, viewer.follower.isAwaitingKeyframe { viewer.follower.resumed() }
                if pacing.share > 0 { pace(run, for: viewer, in: view) }
                let ticks = viewer.ticks(of: run)
                viewer.timing.lastTicks = ticks
                guard send(run, ticks: ticks, to: viewer) else { return viewer.follower.blocked(at: now) }
                statistics.units += 1
                if let track = viewer.tracks[run.track.index], track.repair?.maySendCopies == true,
                    !sendCopies(behind: run, of: track, to: viewer, in: view)
                {
                    return viewer.follower.blocked(at: now)
                }
            } else if viewer.isSkipping, viewer.skips(run, leading: leading) {
                statistics.droppedUnits += 1
            }
            viewer.follower.advance()
        }
        if viewer.follower.settle(in: view) { viewer.pacer = nil }
    }

    /// Whether the viewer may be sent its next unit. A viewer that is too late skips ahead or is disconnected.
    private func isKeepingUp(_ viewer: Viewer, in view: FeedView<PacketRun>, _ leading: TrackID) -> Bool {
        if viewer.follower.keepsUp(in: view) {
            viewer.isThinned = false
            return true
        }
        let transport = viewer.transport(at: now)
        viewer.isThinned =
            viewer.output != nil
            && viewer.follower.lag(in: view, over: transport, at: now).map { $0 > policy.thinningLag } ?? false
        let dropped = viewer.follower.droppedUnits
        let verdict = viewer.follower.verdict(
            in: view, leading: leading, policy: policy, transport: transport,
            wantsKeyframe: &turn.wantsKeyframe, at: now)
        statistics.droppedUnits += viewer.follower.droppedUnits - dropped
        switch verdict {
        case .send: return true
        case .wait: return false
        case .disconnect:
            turn.outcome.stalled.append(viewer)
            return false
        }
    }

    /// Sends a filler, which only shows that the stream continues, if nothing waits to be sent.
    ///
    /// RTP time never goes back. The filler repeats the time of the last run sent, so it is not later than the unit that follows.
    /// Before anything was sent, its time is older than any unit that a source can still publish.
    ///
    /// - Parameter epoch: that of the stream.
    func send(filler: PacketRun, to viewer: Viewer, in view: FeedView<PacketRun>, epoch: MonotonicTime) {
        guard viewer.isPlaying, viewer.follower.position.offset == 0, viewer.follower.next(in: view) == nil else {
            return
        }
        let earliest = MediaTime(nanoseconds: now - epoch - Self.fillerAge, rate: .video)
        _ = send(filler, ticks: viewer.timing.lastTicks ?? earliest.rtpTicks, to: viewer)
        // The filler is not a unit of the feed, so the position stays.
        viewer.follower.took(upTo: 0, at: viewer.follower.lastProgress)
    }

    /// How far before now a filler is dated if nothing was sent yet, in nanoseconds. A source that is later than this continues from
    /// now, so no unit can be older.
    private static let fillerAge: Int64 = 1_000_000_000

    /// Sends the rest of a run; false if the transport takes no more now.
    private func send(_ run: PacketRun, ticks: UInt32, to viewer: Viewer) -> Bool {
        switch viewer.tracks[run.track.index]?.transport {
        case .udp(let route): send(run, ticks: ticks, to: viewer, over: route)
        case .interleaved(let channel, _): send(run, ticks: ticks, to: viewer, on: channel)
        case .framed: send(run, ticks: ticks, to: viewer, on: nil)
        case nil: true
        }
    }

    /// Counts a message that is sent again.
    func countAgain(octets: Int, over route: UDPRoute, to viewer: Viewer) {
        turn.countMessage(octets: octets)
        viewer.pacer?.sent(octets)
        route.sender.count(octets: octets)
    }

    /// Counts packets of the next run up to `offset` that have been handed over.
    private func count(packets: Int, octets: Int, of track: TrackID, upTo offset: Int, for viewer: Viewer) {
        viewer.tracks[track.index]?.count(packets: packets, octets: octets)
        viewer.follower.took(upTo: offset, at: now)
        turn.countMessage(octets: octets)
        statistics.count(packets: packets, octets: octets)
    }
}

// MARK: - UDP: GSO batches into the send batch

extension Transmitter {
    private func send(_ run: PacketRun, ticks: UInt32, to viewer: Viewer, over route: UDPRoute) -> Bool {
        let isOneByOne = !route.usesGSO || viewer.sendsCopiesInSuccession
        for index in run.gsoBatches.indices {
            let gsoBatch = run.gsoBatches[index]
            while viewer.follower.position.offset < gsoBatch.upperBound {
                guard route.isReady(at: now) else { return false }
                let next = viewer.follower.position.offset
                let end = isOneByOne ? next + 1 : gsoBatch.upperBound
                let count = pacedCount(from: next, to: end, of: run, for: viewer)
                guard count > 0 else { return false }
                guard append(next..<(next + count), of: run, ticks: ticks, to: route, for: viewer) else { return false }
            }
        }
        return true
    }

    /// Adds one message to the batch; false if a flush moved this viewer's position back.
    private func append(
        _ range: Range<Int>, of run: PacketRun, ticks: UInt32, to route: UDPRoute, for viewer: Viewer
    ) -> Bool {
        let sender = route.sender
        let batch = sender.batch
        if viewer.lastSender !== sender {
            guard flushLastSender(of: viewer) else { return false }
            viewer.lastSender = sender
        }
        let copyCount = viewer.sendsCopiesInSuccession ? 1 : 0
        if !batch.hasRoom(forPackets: range.count + copyCount, messages: 1 + copyCount) {
            let position = viewer.follower.position
            flush(sender)
            guard viewer.follower.position == position, !sender.isBlocked else { return false }
        }
        use(sender)
        guard let track = viewer.tracks[run.track.index] else { return true }
        track.repair?.recordSent(range, at: viewer.follower, first: track.rewriter.nextSequenceNumber, now)
        let headers = track.rewriter.headers(of: run, ticks: ticks)
        let protection = track.protection.map { ($0.outgoing, track.packetIndex) }
        let octets = batch.append(
            range, of: run, headers, protection, to: route,
            from: SendBatch.Origin(
                owner: Unmanaged.passUnretained(viewer).toOpaque(), checkpoint: viewer.follower.checkpoint))
        if copyCount > 0 { sendCopy(of: range, of: run, headers, protection, over: route, to: viewer) }
        viewer.pacer?.sent(octets)
        sender.count(octets: octets)
        count(packets: range.count, octets: octets, of: run.track, upTo: range.upperBound, for: viewer)
        statistics.messages += 1
        return true
    }

    /// Flushes the sender that a viewer's previous message was added to; false if the kernel refused it and the viewer's position
    /// went back.
    ///
    /// The tracks of one viewer can leave by two senders while its routes move to a separate socket. A viewer's messages are
    /// pending in one batch at most, because a batch that is rolled back resets the position for the messages after it as well.
    private func flushLastSender(of viewer: Viewer) -> Bool {
        guard let last = viewer.lastSender, last.batch.messageCount > 0 else { return true }
        let position = viewer.follower.position
        flush(last)
        return viewer.follower.position == position
    }

    /// Hands all batches to the kernel.
    func flush() {
        while let sender = sendersInUse.popLast() { flush(sender) }
    }

    /// Notes that a message is about to be added to the sender's batch.
    func use(_ sender: UDPSender) {
        if sender.batch.messageCount == 0 { sendersInUse.append(sender) }
    }

    func flush(_ sender: UDPSender) {
        turn.recordCall()
        rollBack(sender.flush(&statistics, at: now))
    }

    /// Returns the viewers of messages that the kernel did not take to their former state.
    func rollBack(_ messages: [SendBatch.UnsentMessage]) {
        for message in messages {
            guard let origin = message.origin else {
                // It was sent before, and the viewer may ask for it again.
                continue
            }
            let viewer = Unmanaged<Viewer>.fromOpaque(origin.owner).takeUnretainedValue()
            viewer.rollBack(message, to: origin.checkpoint)
            turn.outcome.rolledBack.append(viewer)
            statistics.rollBack(packets: message.packetCount, octets: message.octetCount, endsUnit: message.endsUnit)
        }
    }

    /// The time between two checks of paced viewers, in nanoseconds: 10 kB at 5 MB/s, seven packets.
    static let paceInterval: Int64 = 2_000_000

    /// Paces a large unit that is about to begin, unless the viewer is paced already.
    private func pace(_ run: PacketRun, for viewer: Viewer, in view: FeedView<PacketRun>) {
        guard viewer.follower.position.offset == 0, viewer.pacer == nil, viewer.output == nil,
            let limits = pacing.limits(
                byteCount: run.byteCount, interval: view.interval(before: viewer.follower.position.index),
                step: Self.paceInterval)
        else { return }
        viewer.pacer = Pacer(limits: limits)
    }

    /// How many packets from `next` on the viewer's pacer allows; all of them if it is not paced.
    private func pacedCount(from next: Int, to end: Int, of run: PacketRun, for viewer: Viewer) -> Int {
        guard var allowance = viewer.pacer?.bytesAllowed(at: now) else { return end - next }
        var count = 0
        while next + count < end, allowance > 0 {
            allowance -= Int(run.packets[next + count].byteCount)
            count += 1
        }
        return count
    }
}

// MARK: - TCP: one write per run

extension Transmitter {
    private func send(_ run: PacketRun, ticks: UInt32, to viewer: Viewer, on channel: UInt8?) -> Bool {
        guard let output = viewer.output else { return true }
        while viewer.follower.position.offset < run.packets.count {
            guard !output.isBlocked, output.failure == nil else { return false }
            guard let track = viewer.tracks[run.track.index] else { return true }
            let first = viewer.follower.position.offset
            let end = min(run.packets.count, first + InterleavedBatch.capacity)
            interleaved.fill(first..<end, of: run, ticks: ticks, channel: channel, track: track)
            turn.recordCall()
            statistics.systemCalls += 1
            recordSent(first..<(first + output.write(interleaved, at: now)), of: run, for: viewer)
        }
        return true
    }

    /// Counts packets that need no further action.
    private func recordSent(_ range: Range<Int>, of run: PacketRun, for viewer: Viewer) {
        guard !range.isEmpty else { return }
        var octets = 0
        for index in range { octets += Int(run.packets[index].byteCount) }
        count(packets: range.count, octets: octets, of: run.track, upTo: range.upperBound, for: viewer)
    }
}
