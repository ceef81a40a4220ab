import Media
import RTP
import RTSPClient
import Reactor
import SDP
import Synchronization

/// Runs many viewers of one stream at once, over RTSP or WHEP, some of them misbehaving.
public final class ViewersBench: SessionOwner {
    private let plan: ViewersPlan
    private let stream: PlayedStream
    private let report: ReportBox
    private let progress: (@Sendable (ViewersProgress) -> Void)?
    private var viewers: [SessionNumber: ViewerRecord] = [:]
    private var phase = Phase.starting
    private var opened: [ViewerRecord.Kind: Int] = [:]
    private var vanishing: [(number: SessionNumber, due: MonotonicTime)] = []
    private var tally = ViewersTally()
    private var pace = HalfRatePace()
    private var steady: SteadyWindow
    private var nextProgress = MonotonicTime(nanoseconds: .min)

    private enum Phase {
        case starting
        case running(since: MonotonicTime)
        /// The server was told; packets no longer count.
        case leaving(until: MonotonicTime)
        /// All sessions have ended; the server cleans up.
        case settling(until: MonotonicTime)
    }

    /// Misbehaving viewers join this much later, when the stream's rate is known.
    private static let delayNanoseconds: Int64 = 3_000_000_000
    private static let tickMilliseconds: Int64 = 10
    /// Maximum of sessions opened per turn, so that open sessions are not delayed.
    private static let openedPerTurn = 8
    private static let churningNanoseconds: Int64 = 500_000_000

    /// Runs `plan` and returns the result; blocks the calling thread. `progress` is called twice a second, on another thread.
    public static func run(
        _ plan: ViewersPlan, progress: (@Sendable (ViewersProgress) -> Void)? = nil
    ) throws(ClientSessionEnd) -> MeasuredViewers {
        let played: PlayedStream
        switch plan.target {
        case .packets(let stream): played = stream
        case .http(let stream): return HTTPBench.run(plan, stream, progress: progress)
        }
        let box = ReportBox()
        try ClientLoop.run(ViewersBench(plan, played, box, progress))
        guard let report = box.value.withLock({ $0 }) else {
            preconditionFailure("the loop ends only when the report is made")
        }
        return report
    }

    private init(
        _ plan: ViewersPlan, _ stream: PlayedStream, _ report: ReportBox,
        _ progress: (@Sendable (ViewersProgress) -> Void)?
    ) {
        (self.plan, self.stream) = (plan, stream)
        self.report = report
        self.progress = progress
        steady = SteadyWindow(viewers: plan.count)
    }

    /// The stream as a viewer of this kind plays it. Only RTSP has viewers that read slowly.
    private func stream(of kind: ViewerRecord.Kind) -> PlayedStream {
        guard case .rtsp(var plan) = stream else { return stream }
        switch kind {
        case .steady, .churning: break
        case .stalled: plan.transport = .tcp
        case .halfRate:
            plan.transport = .tcp
            // The kernel's default buffer would hold many seconds of unread media, and hide that the server drops
            // frames.
            plan.receiveBufferByteCount = 16_384
        }
        return .rtsp(plan)
    }

    public func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        switch phase {
        case .starting:
            tally.serverBefore = plan.server?.snapshot()
            phase = .running(since: now)
        case .running(let start):
            run(sessions, since: start, at: now)
            plan.gather()
        case .leaving(let deadline) where sessions.count == 0 || now >= deadline:
            // Viewers that read slowly or not at all receive no answer to TEARDOWN; their sockets are closed without it.
            for number in viewers.keys { sessions.vanish(number) }
            phase = .settling(until: now.advanced(byMilliseconds: 1_000))
        case .settling(let deadline) where now >= deadline:
            finish()
            return nil
        case .leaving, .settling: break
        }
        return now.advanced(byMilliseconds: Self.tickMilliseconds)
    }

    private func run(_ sessions: Sessions, since start: MonotonicTime, at now: MonotonicTime) {
        let elapsed = now - start
        open(.steady, upTo: plan.count, perSecond: plan.rampPerSecond, elapsed, sessions, at: now)
        let later = elapsed - Self.delayNanoseconds
        if later > 0 {
            open(.stalled, upTo: plan.stalled, perSecond: plan.rampPerSecond, later, sessions, at: now)
            open(.halfRate, upTo: plan.halfRate, perSecond: plan.rampPerSecond, later, sessions, at: now)
            open(.churning, upTo: .max, perSecond: Double(plan.churnPerSecond), later, sessions, at: now)
        }
        vanish(sessions, at: now)
        allowHalfRateReading(sessions, at: now)
        reportProgress(elapsed, at: now)
        steady.beginIfSettled(at: now) { mark(at: now) }
        if Double(elapsed) >= plan.seconds * 1e9 { leave(sessions, at: now) }
    }

    private func open(
        _ kind: ViewerRecord.Kind, upTo limit: Int, perSecond rate: Double, _ elapsed: Int64, _ sessions: Sessions,
        at now: MonotonicTime
    ) {
        let target = min(Double(limit), Double(elapsed) / 1e9 * rate)
        for _ in 0..<Self.openedPerTurn where Double(opened[kind, default: 0]) < target {
            opened[kind, default: 0] += 1
            let number = stream(of: kind).open(in: sessions, at: now)
            viewers[number] = ViewerRecord(kind, opened: now)
            if kind == .churning { vanishing.append((number, now + Self.churningNanoseconds)) }
        }
    }

    private func vanish(_ sessions: Sessions, at now: MonotonicTime) {
        let due = vanishing.prefix { $0.due <= now }
        for (number, _) in due {
            sessions.vanish(number)
            if let viewer = viewers.removeValue(forKey: number) { tally.add(viewer) }
        }
        vanishing.removeFirst(due.count)
    }

    /// Allows the half-rate viewers to read their next share.
    private func allowHalfRateReading(_ sessions: Sessions, at now: MonotonicTime) {
        guard plan.halfRate > 0, let share = pace.share(at: now) else { return }
        for (number, viewer) in viewers where viewer.kind == .halfRate {
            sessions.allowReading(number, byteCount: share.byteCount, atMost: share.limit)
        }
    }

    private func reportProgress(_ elapsed: Int64, at now: MonotonicTime) {
        guard let progress, now >= nextProgress else { return }
        nextProgress = now.advanced(byMilliseconds: 500)
        progress(ViewersProgress(elapsedSeconds: Double(elapsed) / 1e9, viewers: viewers.values))
    }

    private func leave(_ sessions: Sessions, at now: MonotonicTime) {
        tally.serverPlaying = plan.server?.snapshot()
        steady.end { mark(at: now) }
        phase = .leaving(until: now.advanced(byMilliseconds: 3_000))
        for number in viewers.keys { sessions.tearDown(number, at: now) }
    }

    private func mark(at now: MonotonicTime) -> SteadyUse.Mark {
        tally.mark(with: viewers.values, plan.server, at: now)
    }

    private func finish() {
        for viewer in viewers.values { tally.add(viewer) }
        tally.serverAfter = plan.server?.snapshot()
        tally.steady = steady.use
        let measured = MeasuredViewers(plan, tally)
        report.value.withLock { $0 = measured }
    }
}

extension ViewersBench {
    public func session(
        _ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime
    ) {
        guard let viewer = viewers[number] else { return }
        switch milestone {
        case .connected: break
        case .described(_, let tracks): viewer.described(tracks)
        case .playing(let numbers):
            viewer.played(firstSequenceNumbers: numbers, at: now)
            // While the rate is unknown, a half-rate viewer reads everything.
            if viewer.kind == .stalled || viewer.kind == .halfRate && pace.isKnown { sessions.limitReading(number) }
            guard viewer.kind == .steady else { break }
            pace.viewerJoined()
            steady.viewerSettled(at: now)
        case .ended(let end):
            viewer.end = .session(end, stream(of: viewer.kind).transport)
            if viewer.kind == .steady, viewer.playing == nil { steady.viewerSettled(at: now) }
        }
    }

    public func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
        guard case .running = phase, let viewer = viewers[number] else { return }
        let frame = viewer.received(packet, lateNanoseconds: plan.lateMilliseconds &* 1_000_000)
        guard viewer.kind == .steady else { return }
        pace.received(byteCount: packet.byteCount)
        if let frame { tally.add(frame, isKept: plan.keepsFrames) }
    }

    public func session(
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
    ) {
        viewers[number]?.reported(track: track, time: report.ntpTime, timestamp: report.rtpTimestamp)
    }
}

/// Passes the result from the loop's thread to the caller.
private final class ReportBox: Sendable {
    let value = Mutex<MeasuredViewers?>(nil)
}
