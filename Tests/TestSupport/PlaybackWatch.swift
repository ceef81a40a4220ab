import Foundation
import Media
import RTP
import RTSPClient
import Synchronization
import WebRTCClient

/// Plays one stream of a WHEP server on a loop of its own, and notes what happens.
public final class PlaybackWatch: SessionOwner {
    /// What has happened so far.
    public struct Events: Sendable {
        public var isConnected = false
        /// The encodings of the tracks; `nil` before the answer.
        public var encodings: [String]?
        public var isPlaying = false
        public var end: ClientSessionEnd?
        public var packets: [Packet] = []
        /// The tracks of the sender reports.
        public var reports: [Int] = []
        public var roundTrip: Int64?
    }

    public struct Packet: Sendable {
        public let track: Int
        public let number: SequenceNumber
        public let isKeyframe: Bool
        public let isRepair: Bool
        public let byteCount: Int
        public let payload: [UInt8]
    }

    /// Carries the events from the loop's thread.
    private final class Carrier: Sendable {
        let events = Mutex(Events())
    }

    private var plan: PlaybackPlan?
    private let carrier = Carrier()
    private let isFinished: @Sendable (Events) -> Bool
    private let deadline = MonotonicTime.now().advanced(byMilliseconds: Int64(20_000 * Sanitizer.patience))
    private var session: SessionNumber?
    private var isLeaving = false

    private init(_ plan: PlaybackPlan, until isFinished: @escaping @Sendable (Events) -> Bool) {
        (self.plan, self.isFinished) = (plan, isFinished)
    }

    /// Plays until a condition holds or the session ends, and then leaves.
    ///
    /// - Parameter isFinished: called on the loop's thread.
    public static func run(
        _ plan: PlaybackPlan, until isFinished: @escaping @Sendable (Events) -> Bool = { _ in false }
    ) async throws -> Events {
        // A thread of its own, so that none of Swift's pool is blocked.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try played(plan, until: isFinished) })
            }
        }
    }

    private static func played(
        _ plan: PlaybackPlan, until isFinished: @escaping @Sendable (Events) -> Bool
    ) throws -> Events {
        let watch = PlaybackWatch(plan, until: isFinished)
        let carrier = watch.carrier
        try ClientLoop.run(watch)
        return carrier.events.withLock(\.self)
    }

    public func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        if let plan = plan.take() { session = sessions.open(plan, at: now) }
        let events = carrier.events.withLock(\.self)
        if events.end != nil || now >= deadline { return nil }
        if let session, !isLeaving, isFinished(events) {
            isLeaving = true
            let roundTrip = sessions.shortestRoundTrip(session)
            carrier.events.withLock { $0.roundTrip = roundTrip }
            sessions.tearDown(session, at: now)
        }
        return now.advanced(byMilliseconds: 20)
    }

    public func session(
        _ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime
    ) {
        carrier.events.withLock { events in
            switch milestone {
            case .connected: events.isConnected = true
            case .described(_, let tracks): events.encodings = tracks.map(\.encodingName)
            case .playing: events.isPlaying = true
            case .ended(let end): events.end = end
            }
        }
    }

    public func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
        let received = Packet(
            track: packet.track, number: SequenceNumber(packet.sequenceNumber), isKeyframe: packet.isKeyframe,
            isRepair: packet.isRepair, byteCount: packet.byteCount, payload: [UInt8](packet.payload))
        carrier.events.withLock { $0.packets.append(received) }
    }

    public func session(
        _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
    ) {
        carrier.events.withLock { $0.reports.append(track) }
    }
}
