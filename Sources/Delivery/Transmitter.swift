import Media
import RTP
import Reactor
import Streams

/// Sends to the viewers of a loop. It holds the batches that they share, the policy for slow viewers, and the counters. Confined
/// to its loop.
///
/// Nothing here allocates, locks or throws per packet; references are counted per run.
final class Transmitter {
    let policy: SlowViewerPolicy
    private let pacing: UnitPacing
    private let interleaved = InterleavedBatch()
    var statistics = DeliveryStatistics()
    /// When the turn began.
    private(set) var now = MonotonicTime(nanoseconds: 0)
    /// When the first system call of the turn began that sends packets, or the first since `takeFirstSendTime`.
    private var firstSendTime: MonotonicTime?
    /// The bytes that the current audience may still send in this turn.
    private var allowance = 0
    /// Senders with unsent messages.
    private var sendersInUse: [UDPSender] = []
    /// Viewers that took nothing for too long. Their owner disconnects them.
    var stalled: [Viewer] = []

    init(policy: SlowViewerPolicy, pacing: UnitPacing = UnitPacing()) {
        (self.policy, self.pacing) = (policy, pacing)
    }

    /// The bytes that a turn sends before the loop does other work: 3 ms of processor time.
    private static let turnAllowance = 3 << 20
    /// The cost of a message or a write besides its bytes, in bytes.
    private static let messageCost = 2_048

    /// Begins a turn.
    func begin(at now: MonotonicTime) {
        self.now = now
        firstSendTime = nil
    }

    /// Begins the share of one of `count` audiences in the turn.
    func beginShare(of count: Int) {
        allowance = Self.turnAllowance / max(1, count)
    }

    /// Whether more may be sent in this share. A message that has begun is finished.
    var hasAllowance: Bool { allowance > 0 }

    /// Sends a viewer what it has not been sent yet, as far as its transport takes it.
    func serve(_ viewer: Viewer, of audience: Audience) {
        guard viewer.phase == .playing else { return }
        if viewer.isSuspended(at: now) {
            viewer.behindSince = viewer.behindSince ?? now
            return
        }
        defer { if viewer.output != nil { viewer.suspendedUntil = now + TCPOutput.measurementInterval } }
        // Batches are flushed at the end of each turn, so nothing points into a fast start that ended in an earlier turn.
        if !viewer.fastStart.isEmpty, !viewer.isInFastStart { viewer.endFastStart() }
        let leading = audience.leadingTrackID(for: viewer)
        while isKeepingUp(viewer, of: audience), let run = nextRun(of: viewer, in: audience) {
            if viewer.position.packet > 0 || viewer.passes(run, leading: leading) {
                if run.track == leading { viewer.isAwaitingKeyframe = false }
                if pacing.share > 0 { pace(run, for: viewer, of: audience) }
                let ticks = viewer.ticks(of: run)
                viewer.lastTicks = ticks
                guard send(run, ticks: ticks, to: viewer) else {
                    viewer.behindSince = viewer.behindSince ?? now
                    return
                }
                statistics.units += 1
            }
            viewer.advance()
        }
        guard viewer.position.index >= audience.reader.endIndex, !viewer.isDraining else { return }
        viewer.behindSince = nil
        viewer.pacer = nil
    }

    /// Hands all batches to the kernel.
    func flush() {
        while let sender = sendersInUse.popLast() { flush(sender) }
    }

    private func flush(_ sender: UDPSender) {
        recordCall()
        sender.flush(&statistics, at: now)
    }

    /// Records the time of a system call that sends packets.
    private func recordCall() {
        if firstSendTime == nil { firstSendTime = .now() }
    }

    /// When the first system call began since the turn began, or since this was last called; `nil` if there was none.
    func takeFirstSendTime() -> MonotonicTime? {
        defer { firstSendTime = nil }
        return firstSendTime
    }

    /// Sends a filler, which only shows that the stream continues, if nothing waits to be sent.
    ///
    /// RTP time never goes back. The filler repeats the time of the last run sent, so it is not later than the unit that follows.
    /// Before anything was sent, its time is older than any unit that a source can still publish.
    func send(filler: PacketRun, to viewer: Viewer, of audience: Audience) {
        guard viewer.phase == .playing, viewer.position.packet == 0, nextRun(of: viewer, in: audience) == nil else {
            return
        }
        let earliest = MediaTime(nanoseconds: now - audience.stream.epoch - Self.fillerAge, rate: .video)
        _ = send(filler, ticks: viewer.lastTicks ?? earliest.rtpTicks, to: viewer)
        // The filler is not a unit of the feed, so the position stays.
        viewer.position.packet = 0
    }

    /// How far before now a filler is dated if nothing was sent yet, in nanoseconds. A source that is later than this continues from
    /// now, so no unit can be older.
    private static let fillerAge: Int64 = 1_000_000_000

    private func nextRun(of viewer: Viewer, in audience: Audience) -> PacketRun? {
        if viewer.isInFastStart { return viewer.fastStart[viewer.position.fastStart] }
        return audience.run(at: viewer.position.index)
    }

    /// Sends the rest of a run; false if the transport takes no more now.
    private func send(_ run: PacketRun, ticks: UInt32, to viewer: Viewer) -> Bool {
        switch viewer.tracks[run.track.index]?.transport {
        case .udp(let route): send(run, ticks: ticks, to: viewer, over: route)
        case .interleaved(let channel, _): send(run, ticks: ticks, to: viewer, on: channel)
        case nil: true
        }
    }

    private func count(packets: Int, octets: Int, of track: TrackID, for viewer: Viewer) {
        viewer.tracks[track.index]?.count(packets: packets, octets: octets)
        viewer.lastProgress = now
        allowance -= octets + Self.messageCost
        statistics.count(packets: packets, octets: octets)
    }
}

// MARK: - UDP: GSO batches into the send batch

extension Transmitter {
    private func send(_ run: PacketRun, ticks: UInt32, to viewer: Viewer, over route: UDPRoute) -> Bool {
        for index in run.gsoBatches.indices {
            let gsoBatch = run.gsoBatches[index]
            while viewer.position.packet < gsoBatch.upperBound {
                guard route.isReady(at: now) else { return false }
                let next = viewer.position.packet
                let end = route.usesGSO ? gsoBatch.upperBound : next + 1
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
        if !batch.hasRoom(forPackets: range.count) {
            let position = viewer.position
            flush(sender)
            guard viewer.position == position, !sender.isBlocked else { return false }
        }
        if batch.messageCount == 0 { sendersInUse.append(sender) }
        guard let track = viewer.tracks[run.track.index] else { return true }
        let octets = batch.append(
            range, of: run, ticks: ticks, to: route, track: track, viewer: viewer, position: viewer.position)
        viewer.position.packet = range.upperBound
        viewer.pacer?.sent(octets)
        sender.count(octets: octets)
        count(packets: range.count, octets: octets, of: run.track, for: viewer)
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
        let position = viewer.position
        flush(last)
        return viewer.position == position
    }

    /// The time between two checks of paced viewers, in nanoseconds: 10 kB at 5 MB/s, seven packets.
    static let paceInterval: Int64 = 2_000_000

    /// Paces a large unit that is about to begin, unless the viewer is paced already.
    private func pace(_ run: PacketRun, for viewer: Viewer, of audience: Audience) {
        guard viewer.position.packet == 0, viewer.pacer == nil, viewer.output == nil,
            let limits = pacing.limits(
                byteCount: run.byteCount, interval: audience.interval(before: viewer.position.index),
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
    private func send(_ run: PacketRun, ticks: UInt32, to viewer: Viewer, on channel: UInt8) -> Bool {
        guard let output = viewer.output else { return true }
        while viewer.position.packet < run.packets.count {
            guard !output.isBlocked, output.failure == nil else { return false }
            guard let track = viewer.tracks[run.track.index] else { return true }
            let first = viewer.position.packet
            let end = min(run.packets.count, first + InterleavedBatch.capacity)
            interleaved.fill(first..<end, of: run, ticks: ticks, channel: channel, track: track)
            recordCall()
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
        viewer.position.packet = range.upperBound
        count(packets: range.count, octets: octets, of: run.track, for: viewer)
    }
}

// MARK: - Viewers that do not keep up

extension Transmitter {
    /// Whether the viewer may be sent its next unit. A viewer that is too late skips ahead or is disconnected.
    private func isKeepingUp(_ viewer: Viewer, of audience: Audience) -> Bool {
        // In the usual case, something new for a viewer that was sent everything before, this costs two comparisons.
        let wasCaughtUp = viewer.behindSince == nil && viewer.position.index >= audience.reader.startIndex
        guard !wasCaughtUp else { return true }
        guard let lag = audience.lag(of: viewer, at: now) else { return !viewer.isDraining }
        let isInsideUnit =
            viewer.position.packet > 0 || audience.run(at: viewer.position.index)?.part.isStart == false
        let stall = viewer.behindSince.map { now - max($0, progress(of: viewer)) } ?? 0
        let isOverrun = viewer.position.index < audience.reader.startIndex
        switch policy.action(lag: lag, stall: stall, isInsideUnit: isInsideUnit, isOverrun: isOverrun) {
        case .keepSending:
            return !viewer.isDraining || resume(viewer, of: audience)
        case .skipToKeyframe:
            skip(viewer, of: audience)
            return !viewer.isDraining
        case .disconnect:
            stalled.append(viewer)
            return false
        }
    }

    private func progress(of viewer: Viewer) -> MonotonicTime {
        max(viewer.lastProgress, viewer.output?.lastProgress ?? viewer.lastProgress)
    }

    /// Skips everything that waits. The connection drains first, so that what follows is not shown late.
    private func skip(_ viewer: Viewer, of audience: Audience) {
        // The fast start is skipped now, but released after the batch has left, because the batch may point to its packets.
        viewer.position.fastStart = viewer.fastStart.count
        viewer.position.packet = 0
        viewer.isAwaitingKeyframe = true
        viewer.isDraining = true
        // Otherwise the skip would be forgotten, and one new unit would be sent before the connection has drained.
        viewer.behindSince = viewer.behindSince ?? now
        _ = resume(viewer, of: audience)
    }

    /// How often a viewer that falls behind may cost the others a keyframe, in nanoseconds. At half the stream's rate a viewer
    /// falls behind all the time, and each of its requests would raise the QP of all viewers by 1.
    private static let keyframeRequestInterval: Int64 = 10_000_000_000

    /// Continues at the newest keyframe if that is recent, otherwise at the next, which is requested; false if the connection has
    /// not drained yet.
    private func resume(_ viewer: Viewer, of audience: Audience) -> Bool {
        let before = viewer.position.index
        let isDrained = viewer.output?.isDrained(at: now) ?? true
        let recent = audience.recentKeyframe(after: before - 1, for: viewer, within: policy.maximumLag / 2)
        viewer.position.index = max(before, recent ?? audience.reader.endIndex)
        let dropped = UInt64(viewer.position.index - before)
        viewer.droppedUnits += dropped
        statistics.droppedUnits += dropped
        guard isDrained else { return false }
        viewer.isDraining = false
        if recent == nil, now - viewer.lastKeyframeRequest > Self.keyframeRequestInterval {
            viewer.lastKeyframeRequest = now
            audience.requestKeyframe(at: now)
        }
        return true
    }
}
