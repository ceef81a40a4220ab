import Media
import RTP
import Reactor
import SRTP
import Streams

/// Packets that a client reports as lost.
struct RepairRequest {
    let viewer: Viewer
    /// The index of the track.
    let track: Int
    let lost: Feedback.LostPackets

    func forEachNumber(_ body: (SequenceNumber) -> Void) {
        body(lost.first)
        var following = lost.following
        while following != 0 {
            body(lost.first.advanced(by: following.trailingZeroBitCount + 1))
            following &= following - 1
        }
    }
}

// MARK: - Repair: single packets from the ring, before new units

extension Transmitter {
    /// Counts packets that a viewer has lost, before any of them is sent again.
    func countLosses(_ request: RepairRequest, in view: FeedView<PacketRun>) {
        let viewer = request.viewer
        guard viewer.isPlaying, let track = viewer.tracks[request.track], let repair = track.repair,
            let rules = repair.rules
        else { return }
        request.forEachNumber { number in
            guard let packet = repair.ledger.packet(number, endIndex: view.endIndex, at: now),
                now - packet.sentAt <= rules.patience, let run = run(of: packet, for: viewer, in: view),
                repair.noteRequest(for: number, at: now)
            else { return }
            viewer.repair?.counts.lost += 1
            guard track === viewer.leadingTrack else { return }
            viewer.path?.lostPacket()
            viewer.repair?.lost(Int(run.packets[packet.index].byteCount), sentAt: packet.sentAt, at: now)
        }
    }

    /// What a viewer has lost at once because a queue of the network drops what it is sent, and how long what is sent now waits in that
    /// queue, in nanoseconds; `nil` if that is not so, or if it has skipped to a keyframe a short time ago.
    func drops(for request: RepairRequest) -> (byteCount: Int, queueTime: Int64)? {
        let viewer = request.viewer
        guard viewer.isPlaying, let rules = viewer.tracks[request.track]?.repair?.rules, !rules.mayAskForLatePackets,
            let repair = viewer.repair, repair.maySkip(at: now)
        else { return nil }
        var queueTime = viewer.path?.queueTime(at: now) ?? 0
        // In the first second nothing is known of the queue: the fast start fills it.
        if queueTime == 0, viewer.fastStartKeptUntil > now { queueTime = Self.fastStartQueueTime }
        let byteCount = repair.burst.byteCount(at: now)
        return byteCount > 0 && queueTime > 0 ? (byteCount, queueTime) : nil
    }

    /// Nanoseconds: routers have queues of 100 to 300 ms.
    private static let fastStartQueueTime: Int64 = 100_000_000

    /// Sends packets again that a viewer has lost, each as a message of its own.
    func repair(_ request: RepairRequest, in view: FeedView<PacketRun>) {
        let viewer = request.viewer
        guard viewer.isPlaying, let track = viewer.tracks[request.track], let repair = track.repair,
            let rules = repair.rules, case .udp(let route) = track.transport
        else { return }
        request.forEachNumber { number in
            retransmit(number, of: track, by: repair, rules, to: viewer, over: route, in: view)
        }
    }

    private func retransmit(
        _ number: SequenceNumber, of track: ViewerTrack, by repair: TrackRepair, _ rules: RetransmissionRules,
        to viewer: Viewer, over route: UDPRoute, in view: FeedView<PacketRun>
    ) {
        guard let packet = repair.ledger.packet(number, endIndex: view.endIndex, at: now) else {
            viewer.repair?.counts.ignored += 1
            if track.hasSent(number), let oldest = repair.ledger.oldest(at: now) {
                lose(sentAt: oldest, of: track, rules, to: viewer)
            }
            return
        }
        guard now - packet.sentAt <= rules.patience, let run = run(of: packet, for: viewer, in: view) else {
            viewer.repair?.counts.tooLate += 1
            return lose(sentAt: packet.sentAt, of: track, rules, to: viewer)
        }
        let isReplaced =
            track === viewer.leadingTrack && packet.sentAt < viewer.repair?.replacementTime ?? packet.sentAt
        guard !isReplaced, let request = repair.request(number) else {
            viewer.repair?.counts.ignored += 1
            return
        }
        // The client asks again for those that were lost.
        if rules.mayAskForLatePackets, viewer.path?.isQueueLong(at: now) == true {
            viewer.repair?.counts.ignored += 1
            return
        }
        // What was sent again may still wait behind others.
        let queueTime = viewer.path?.queueTime(at: now) ?? 0
        let interval = rules.repetitionInterval(
            roundTrip: (track.reception?.roundTripNanoseconds ?? 0) &+ queueTime)
        if let last = request.sentAt, now - last < interval {
            viewer.repair?.counts.ignored += 1
            return
        }
        // The network drops so much that a keyframe may come first.
        if request.answerCount >= 2 { lose(sentAt: packet.sentAt, of: track, rules, to: viewer) }
        // A packet or a request for it that was lost again may soon be too late, so it is sent twice: not into a queue, which would drop
        // both. Only a stream of its own may do that: libavformat decodes nothing if a packet comes twice.
        let mustArrive = request.sentAt != nil || viewer.repeatsRequestsLate(rules, at: now)
        let count = mustArrive && repair.stream != nil && queueTime == 0 ? 2 : 1
        // A socket that is full now takes nothing of the budget. The client may ask again.
        guard route.isReady(at: now), makeRoom(forPackets: count, in: route.sender) else { return }
        let byteCount = Int(run.packets[packet.index].byteCount)
        for copy in 0..<count {
            guard mayRetransmit(byteCount, to: viewer, in: view) else {
                viewer.repair?.counts.overBudget += 1
                return lose(sentAt: packet.sentAt, of: track, rules, to: viewer)
            }
            append(packet.index, of: run, at: packet.run, number, of: track, by: repair, to: viewer, over: route)
            countAgain(octets: byteCount, over: route, to: viewer)
            if copy == 0 { repair.answered(number, at: now) }
            if repair.stream != nil { viewer.path?.retransmitted(byteCount: byteCount, at: now) }
            viewer.repair?.counts.retransmitted += 1
            statistics.retransmittedPackets += 1
        }
    }

    /// A packet is lost for good, or probably so. A browser would ask for a keyframe only after three seconds without a frame.
    private func lose(sentAt: MonotonicTime, of track: ViewerTrack, _ rules: RetransmissionRules, to viewer: Viewer) {
        // A packet that is late in a queue is not lost.
        guard track === viewer.leadingTrack, !rules.mayAskForLatePackets,
            sentAt >= viewer.repair?.replacementTime ?? sentAt
        else { return }
        viewer.repair?.lostForGood(sentAt: sentAt)
    }

    /// Prepares a sender for packets that are sent again; false if it takes no more now.
    func makeRoom(forPackets count: Int, in sender: UDPSender) -> Bool {
        if !sender.batch.hasRoom(forPackets: count) { flush(sender) }
        guard !sender.isBlocked else { return false }
        use(sender)
        return true
    }

    /// The run that a packet was sent from; `nil` if it is gone.
    func run(of packet: SentLedger.Packet, for viewer: Viewer, in view: FeedView<PacketRun>) -> PacketRun? {
        run(at: packet.run, for: viewer, in: view).flatMap { $0.packets.indices.contains(packet.index) ? $0 : nil }
    }

    func run(
        at place: SentLedger.RunPlace, for viewer: Viewer, in view: FeedView<PacketRun>
    ) -> PacketRun? {
        switch place {
        case .feed(let index): view.output(at: index)
        // It may be released in this turn, before the batch is sent.
        case .fastStart where viewer.fastStartKeptUntil <= now: nil
        case .fastStart(let index):
            viewer.follower.fastStart.indices.contains(index) ? viewer.follower.fastStart[index] : nil
        }
    }

    private func mayRetransmit(_ byteCount: Int, to viewer: Viewer, in view: FeedView<PacketRun>) -> Bool {
        // Unknown at first: then the burst must do.
        let bytesPerSecond = view.nanosecondsPerByte > 0 ? 1_000_000_000 / view.nanosecondsPerByte : 0
        guard retransmissions.tokens(at: now) > 0,
            viewer.repair?.budget.take(byteCount, ofStreamAt: bytesPerSecond, at: now) == true
        else { return false }
        retransmissions.take(Int64(byteCount))
        return true
    }

    /// Adds a packet again: as it was, or in the stream of its own.
    func append(
        _ index: Int, of run: PacketRun, at place: SentLedger.RunPlace, _ number: SequenceNumber,
        of track: ViewerTrack, by repair: TrackRepair, to viewer: Viewer, over route: UDPRoute
    ) {
        let ticks = viewer.ticks(of: run, at: place)
        guard let stream = repair.stream else {
            var rewriter = track.rewriter
            rewriter.nextSequenceNumber = number
            _ = route.sender.batch.append(
                index..<(index + 1), of: run, rewriter.headers(of: run, ticks: ticks),
                track.protection.map { ($0.outgoing, track.packetIndex(of: number)) }, to: route, from: nil)
            return
        }
        route.sender.batch.append(
            retransmissionOf: index, of: run, number, stream.rewriter.headers(of: run, ticks: ticks),
            stream.protection.map { ($0, stream.packetIndex) }, to: route)
        repair.stream?.rewriter.advance(by: 1)
        repair.stream?.packetIndex &+= 1
    }
}
