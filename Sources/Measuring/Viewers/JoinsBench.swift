import Media
import RTP
import RTSPClient
import SDP
import Streams
import Synchronization

/// The task of `apus bench joins`.
public struct JoinsPlan: Sendable {
    public var stream: PlayedStream
    /// The number of joins, one after the other.
    public var count: Int
    /// How long each viewer stays after its first frame, so that losses in the fast start are counted.
    public var stayMilliseconds: Int64 = 1_000
    /// How long each viewer waits for its first frame.
    public var timeoutMilliseconds: Int64 = 15_000
    /// The maximum of the random pause before each join, so that joins fall on different phases of the GOP.
    public var pauseMilliseconds: Int64 = 1_000

    public init(_ stream: PlayedStream, count: Int) {
        self.stream = stream
        self.count = count
    }
}

/// The result of `apus bench joins`.
public struct JoinsReport: Codable, Equatable, Sendable {
    public var transport: String
    public var joins: Int
    /// Joins that received a keyframe.
    public var withKeyframe: Int
    public var failures: [String: Int]
    public var packets: UInt64
    public var lost: UInt64
    public var gaps: UInt64
    public var connectToPlay: DurationSummary?
    public var playToFirstPacket: DurationSummary?
    public var connectToKeyframe: DurationSummary?

    private enum CodingKeys: String, CodingKey {
        case transport, joins
        case withKeyframe = "withPicture"
        case failures, packets, lost, gaps, connectToPlay, playToFirstPacket
        case connectToKeyframe = "connectToRandomAccess"
    }

    public var allPlayed: Bool { failures.isEmpty && withKeyframe == joins }
    public var hasNoGap: Bool { gaps == 0 && lost == 0 }

    public var table: String {
        var table = ReportTable()
        table.add("joins", "\(joins) over \(transport), \(withKeyframe) received a frame")
        table.add(failures: failures)
        table.add("packets", "\(packets), \(lost) lost in \(gaps) gaps")
        let answer = PlayedStream.answer(over: transport)
        table.add("connect → \(answer)", connectToPlay)
        table.add("\(answer) → first packet", playToFirstPacket)
        table.add("connect → first keyframe", connectToKeyframe)
        return table.text
    }
}

/// Joins a stream again and again at random times, one viewer at a time.
public final class JoinsBench: SessionOwner {
    private let plan: JoinsPlan
    private let answer: Answer
    private var tally = ViewersTally()
    private var withKeyframe = 0
    private var joins = 0
    private var current: (number: SessionNumber, viewer: ViewerRecord)?
    private var isLeaving = false
    private var nextJoin = MonotonicTime(nanoseconds: .min)

    private final class Answer: Sendable {
        let report = Mutex<MeasuredJoins?>(nil)
    }

    /// Runs `plan` and returns the result; blocks the calling thread.
    public static func run(_ plan: JoinsPlan) throws(ClientSessionEnd) -> MeasuredJoins {
        let answer = Answer()
        try ClientLoop.run(JoinsBench(plan, answer))
        guard let report = answer.report.withLock({ $0 }) else {
            preconditionFailure("the loop ends only when the report is made")
        }
        return report
    }

    private init(_ plan: JoinsPlan, _ answer: Answer) {
        self.plan = plan
        self.answer = answer
    }

    public func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        if let current {
            if !isLeaving, isFinished(current.viewer, at: now) {
                isLeaving = true
                sessions.tearDown(current.number, at: now)
            }
        } else if joins == plan.count {
            finish()
            return nil
        } else if now >= nextJoin {
            joins += 1
            isLeaving = false
            current = (plan.stream.open(in: sessions, at: now), ViewerRecord(.steady, opened: now))
        }
        return now.advanced(byMilliseconds: 5)
    }

    private func isFinished(_ viewer: ViewerRecord, at now: MonotonicTime) -> Bool {
        guard let keyframe = viewer.firstKeyframe else {
            return now >= viewer.opened.advanced(byMilliseconds: plan.timeoutMilliseconds)
        }
        return now >= keyframe.advanced(byMilliseconds: plan.stayMilliseconds)
    }

    private func finish() {
        let report = JoinsReport(
            transport: plan.stream.transportName, joins: joins, withKeyframe: withKeyframe,
            failures: tally.failures, packets: tally.packets, lost: tally.lost, gaps: tally.gaps,
            connectToPlay: tally.connectToPlay.summary, playToFirstPacket: tally.playToFirstPacket.summary,
            connectToKeyframe: tally.connectToKeyframe.summary)
        let measured = MeasuredJoins(plan, report, tally)
        answer.report.withLock { $0 = measured }
    }

    public func session(
        _ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime
    ) {
        guard let current, current.number == number else { return }
        let viewer = current.viewer
        switch milestone {
        case .connected: break
        case .described(_, let tracks): viewer.described(tracks)
        case .playing(let numbers): viewer.played(firstSequenceNumbers: numbers, at: now)
        case .ended(let end):
            viewer.end = .session(end, plan.stream.transport)
            tally.add(viewer)
            if viewer.firstKeyframe != nil { withKeyframe += 1 }
            self.current = nil
            nextJoin = now.advanced(byMilliseconds: .random(in: 0...max(1, plan.pauseMilliseconds)))
        }
    }

    public func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
        guard let current, current.number == number, !isLeaving else { return }
        _ = current.viewer.received(packet, lateNanoseconds: .max)
    }

    public func session(
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
    ) {
        guard let current, current.number == number else { return }
        current.viewer.reported(track: track, time: report.ntpTime, timestamp: report.rtpTimestamp)
    }
}
