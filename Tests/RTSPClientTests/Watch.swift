import Media
import RTP
import RTSP
import Synchronization

@testable import RTSPClient

/// Plays one stream on a loop of its own until the session ends or enough packets have come.
final class Watch: SessionOwner {
    struct Outcome: Sendable {
        var end: ClientSessionEnd?
        /// The RTP payloads, by track.
        var payloads: [Int: [[UInt8]]] = [:]
    }

    private final class Carrier: Sendable {
        let outcome = Mutex(Outcome())
    }

    private var plan: SessionPlan?
    private let carrier: Carrier
    private let deadline = MonotonicTime.now().advanced(byMilliseconds: 20_000)
    private var isDone = false
    /// How many packets must still come.
    private var missingCount: Int

    private init(_ plan: SessionPlan, _ packetCount: Int, _ carrier: Carrier) {
        (self.plan, missingCount, self.carrier) = (plan, packetCount, carrier)
    }

    static func run(_ plan: SessionPlan, untilPackets packetCount: Int = 1) throws -> Outcome {
        let carrier = Carrier()
        try ClientLoop.run(Watch(plan, packetCount, carrier))
        return carrier.outcome.withLock(\.self)
    }

    func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        if let plan = plan.take() { _ = sessions.open(plan, at: now) }
        // A session that fails before it has a socket wakes no one.
        return isDone || now >= deadline ? nil : now.advanced(byMilliseconds: 20)
    }

    func session(_ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime) {
        guard case .ended(let end) = milestone else { return }
        carrier.outcome.withLock { $0.end = end }
        isDone = true
    }

    func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
        let payload = [UInt8](packet.payload)
        let track = packet.track
        carrier.outcome.withLock { $0.payloads[track, default: []].append(payload) }
        missingCount -= 1
        if missingCount == 0 { isDone = true }
    }

    func session(
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
    ) {}
}
