import Media
import RTP
import Reactor
import Streams

/// What serves a loop's viewers: the scratch memory they share, the policy, and the counters. Confined to its loop.
///
/// Nothing here allocates, locks or throws per packet; references are counted per run.
final class Transmitter {
    let policy: SlowViewerPolicy
    private let pacing: UnitPacing
    private let interleaved = InterleavedBatch()
    var statistics = DeliveryStatistics()
    /// When the turn began.
    private(set) var now = MonotonicTime(nanoseconds: 0)
    /// When the first call began that handed something to the kernel, since this was last taken.
    private var firstCall: MonotonicTime?
    /// What the audience at hand may still send in this turn.
    private var allowance = 0
    /// Sockets with unsent messages.
    private var sendersInUse: [UDPSender] = []
    /// Viewers that took nothing for too long: their owner lets them go.
    var stalled: [Viewer] = []

    init(policy: SlowViewerPolicy, pacing: UnitPacing = UnitPacing()) {
        (self.policy, self.pacing) = (policy, pacing)
    }

    /// What a turn sends, in bytes, before the loop looks after others: 3 ms of a processor.
    private static let turnAllowance = 3 << 20
    /// What a message or a write costs beside its bytes, in bytes.
    private static let messageCost = 2_048

    /// A turn begins.
    func begin(at now: MonotonicTime) {
        self.now = now
        firstCall = nil
    }

    /// One of `count` audiences has its share of the turn.
    func beginShare(of count: Int) {
        allowance = Self.turnAllowance / max(1, count)
    }

    /// Whether more may be sent in this share; what is under way is finished.
    var hasAllowance: Bool { allowance > 0 }

    /// Sends a viewer what it has not been sent yet, as far as its route takes it.
    func serve(_ viewer: Viewer, of audience: Audience) {
        guard viewer.phase == .playing else { return }
        if viewer.isResting(at: now) {
            viewer.behindSince = viewer.behindSince ?? now
            return
        }
        defer { if viewer.output != nil { viewer.restsUntil = now + TCPOutput.measurementInterval } }
        // Batches are flushed at the end of each turn: nothing points into a prelude that ended in an earlier one.
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
        noteCall()
        sender.flush(&statistics, at: now)
    }

    /// Something is about to be handed to the kernel.
    private func noteCall() {
        if firstCall == nil { firstCall = .now() }
    }

    /// When the first call of the turn, or since the last such question, began; `nil` where there was none.
    func takeFirstCall() -> MonotonicTime? {
        defer { firstCall = nil }
        return firstCall
    }

    /// Sends what only says that the stream goes on, if nothing waits to be sent.
    ///
    /// RTP time does not go back, neither here nor with the unit that follows: the filler repeats the time of what was sent last.
    /// Before anything was sent, it is older than any unit that a source can still publish.
    func send(filler: PacketRun, to viewer: Viewer, of audience: Audience) {
        guard viewer.phase == .playing, viewer.position.packet == 0, nextRun(of: viewer, in: audience) == nil else {
            return
        }
        let earliest = MediaTime(nanoseconds: now - audience.stream.epoch - Self.fillerAge, rate: .video)
        _ = send(filler, ticks: viewer.lastTicks ?? earliest.rtpTicks, to: viewer)
        // It is no unit of the feed: the viewer is where it was.
        viewer.position.packet = 0
    }

    /// A source that is more than a second late goes on from now, in nanoseconds.
    private static let fillerAge: Int64 = 1_000_000_000

    private func nextRun(of viewer: Viewer, in audience: Audience) -> PacketRun? {
        if viewer.isInFastStart { return viewer.fastStart[viewer.position.fastStart] }
        return audience.run(at: viewer.position.index)
    }

    /// Sends what is left of a run; false if the route takes no more now.
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

// MARK: - UDP: trains into the batch

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

    /// Adds one message to the batch; false if a flush put this viewer back.
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

    /// Between two looks at viewers that are paced, in nanoseconds: 10 kB at 5 MB/s, seven packets.
    static let paceInterval: Int64 = 2_000_000

    /// Spreads a large unit that is about to begin, unless the viewer has a pace already.
    private func pace(_ run: PacketRun, for viewer: Viewer, of audience: Audience) {
        guard viewer.position.packet == 0, viewer.pacer == nil, viewer.output == nil,
            let limits = pacing.limits(
                byteCount: run.byteCount, interval: audience.interval(before: viewer.position.index),
                step: Self.paceInterval)
        else { return }
        viewer.pacer = Pacer(limits: limits, at: now)
    }

    /// How many packets from `next` on the viewer's pace allows: all of them where it has none.
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
            noteCall()
            statistics.systemCalls += 1
            settle(first..<(first + output.write(interleaved, at: now)), of: run, for: viewer)
        }
        return true
    }

    /// These packets are out of our hands.
    private func settle(_ range: Range<Int>, of run: PacketRun, for viewer: Viewer) {
        guard !range.isEmpty else { return }
        var octets = 0
        for index in range { octets += Int(run.packets[index].byteCount) }
        viewer.position.packet = range.upperBound
        count(packets: range.count, octets: octets, of: run.track, for: viewer)
    }
}

// MARK: - Who does not keep up

extension Transmitter {
    /// Whether the viewer may be sent its next unit; else it was let go. Who is too late is put to where it goes on.
    private func isKeepingUp(_ viewer: Viewer, of audience: Audience) -> Bool {
        // The usual case, something new for a viewer who was sent all before it, costs two comparisons.
        let wasThrough = viewer.behindSince == nil && viewer.position.index >= audience.reader.startIndex
        guard !wasThrough else { return true }
        guard let lag = audience.lag(of: viewer, at: now) else { return !viewer.isDraining }
        let isInsideUnit =
            viewer.position.packet > 0 || audience.run(at: viewer.position.index)?.part.isStart == false
        let stall = viewer.behindSince.map { now - max($0, progress(of: viewer)) } ?? 0
        let isOverrun = viewer.position.index < audience.reader.startIndex
        switch policy.verdict(lag: lag, stall: stall, isInsideUnit: isInsideUnit, isOverrun: isOverrun) {
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

    /// Passes over everything that waits. A connection drains first, so that what comes then is not seen late.
    private func skip(_ viewer: Viewer, of audience: Audience) {
        // Packets of the prelude may be in a batch: it is passed over now and let go of when they have left.
        viewer.position.fastStart = viewer.fastStart.count
        viewer.position.packet = 0
        viewer.isAwaitingKeyframe = true
        viewer.isDraining = true
        // Else one new unit would count as waited for, and go out undrained.
        viewer.behindSince = viewer.behindSince ?? now
        _ = resume(viewer, of: audience)
    }

    /// How often a viewer who falls behind may cost the others a random access point, in nanoseconds: one at half the
    /// stream's rate falls behind all the time, and at each of its turns would raise everybody's QP by 1.
    private static let askingInterval: Int64 = 10_000_000_000

    /// Goes on at the newest random access point that is recent itself, or before the next, which is asked for;
    /// false where the connection has yet to drain.
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
        if recent == nil, now - viewer.lastAsked > Self.askingInterval {
            viewer.lastAsked = now
            audience.requestKeyframe(at: now)
        }
        return true
    }
}
