import Delivery
import Media
import Reactor
import Streams

/// One forward on its loop: a session with the server, again and again. Confined to the loop.
///
/// ```
///            tracks are known                                   the stream is silent, or has ended
///  waiting ───────────────────▶ publishing ──────────────────────────────────────────▶ waiting
///                               ▲     │  ▲──────────────┐
///               the pause is over     │ failed          │ other tracks: announced again
///                               └─ pausing              └── publishing
/// ```
final class ForwardRun {
    private enum Phase {
        case waiting(WaitForMedia)
        case pausing(until: MonotonicTime)
        case publishing(any ForwardSession)
        case over
    }

    let forward: Forward
    private let surroundings: OutgoingSurroundings
    private var phase = Phase.waiting(WaitForMedia())
    private var isStopping = false
    /// The former publisher to the same server, as long as it has not ended.
    private var former: Forward?

    init(_ forward: Forward, after former: Forward?, in surroundings: OutgoingSurroundings) {
        (self.forward, self.former, self.surroundings) = (forward, former, surroundings)
    }

    /// Whether it was stopped, and has told the server.
    var isOver: Bool { if case .over = phase { true } else { false } }

    private var session: (any ForwardSession)? { if case .publishing(let session) = phase { session } else { nil } }

    /// The time at which to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime {
        switch phase {
        case .waiting(let wait): wait.nextCheck
        case .pausing(let end): end
        case .publishing(let session): session.nextDeadline
        case .over: .distantFuture
        }
    }

    /// Whether a full buffer holds up its datagrams.
    var isBlocked: Bool { session?.isBlocked == true }

    func retryBlockedSockets() { session?.retryBlockedSockets() }

    /// Whether `viewer` stands for its server.
    func sends(to viewer: Viewer) -> Bool { session?.sends(to: viewer) == true }

    func socketIsReady(_ readiness: Readiness, socket: Int, _ buffers: OutgoingBuffers, at now: MonotonicTime) {
        session?.socketIsReady(readiness, socket: socket, buffers, at: now)
    }

    /// Sends what the stream has new, if its session follows the stream itself.
    ///
    /// - Returns: the latest time of the next call.
    func send(at now: MonotonicTime) -> MonotonicTime { session?.send(at: now) ?? .distantFuture }

    func deadlinePassed(at now: MonotonicTime) {
        switch phase {
        case .waiting(var wait):
            if wait.isOver(for: forward.stream, at: now), former?.hasEnded != false {
                former = nil
                open(at: now)
            } else {
                phase = .waiting(wait)
            }
        case .pausing: open(at: now)
        case .publishing(let session): session.deadlinePassed(at: now)
        case .over: break
        }
    }

    func deliveryEnded(isStalled: Bool, at now: MonotonicTime) {
        let cause: ForwardEnd.Cause =
            isStalled ? .stalled : forward.stream.hasEnded ? .endedSource : .tracksChanged
        session?.leave(because: ForwardEnd(cause), at: now)
    }

    /// Ends it: the server is told, within a limited time.
    func stop(at now: MonotonicTime) {
        isStopping = true
        if let session {
            session.leave(because: ForwardEnd(.stopped), at: now)
        } else {
            phase = .over
        }
    }

    /// Ends it at once, because the loop ends. The server is told if that takes no time.
    func shutDown(at now: MonotonicTime) {
        guard let session else { return }
        session.leave(because: ForwardEnd(.stopped), at: now)
        session.settle(at: now)
        session.close(at: now)
        phase = .over
    }

    /// Does what the turn has left to do.
    func settle(at now: MonotonicTime) {
        guard let session else { return }
        session.settle(at: now)
        guard let end = session.end else { return }
        session.close(at: now)
        ended(end, session, at: now)
    }

    /// Begins a session, or waits for the stream's tracks.
    private func open(at now: MonotonicTime) {
        guard let announcement = forward.stream.announcement, !forward.stream.hasEnded else {
            return wait(WaitForMedia(), at: now)
        }
        forward.note { $0.changed(to: .connecting, at: now) }
        phase = .publishing(
            forward.plan.makeSession(
                of: forward, announcement.tracks, version: announcement.version, in: surroundings, at: now))
        surroundings.touch()
    }

    private func wait(_ wait: WaitForMedia, at now: MonotonicTime) {
        forward.note { $0.changed(to: .waiting, at: now) }
        phase = .waiting(wait)
    }

    private func ended(_ end: ForwardEnd, _ session: any ForwardSession, at now: MonotonicTime) {
        guard !isStopping else { return phase = .over }
        let pause = forward.observer.forwardEnded(end, startedAt: session.start, at: now)
        forward.note { $0.ended(because: end.description) }
        switch end.cause {
        case .tracksChanged: open(at: now)
        case .silentSource: wait(WaitForMedia(afterSilenceOf: forward.stream), at: now)
        case .endedSource: wait(WaitForMedia(), at: now)
        // A forward that was stopped has returned above.
        case .failed, .stalled, .stopped:
            let next = now.advanced(byMilliseconds: pause)
            forward.note { $0.changed(to: .failing, nextTry: next, at: now) }
            phase = .pausing(until: next)
        }
    }
}

/// Waits until a stream has something to publish. A plain value.
struct WaitForMedia {
    /// What the stream had published when it became silent; `nil` if its tracks are enough.
    private var silence: (announcements: UInt64, published: Streams.Stream.Published)?
    private(set) var nextCheck = MonotonicTime(nanoseconds: .min / 2)

    /// The time between two checks, in nanoseconds.
    private static let interval: Int64 = 100_000_000

    /// Waits for the tracks.
    init() {}

    /// Waits until the source publishes again.
    init(afterSilenceOf stream: Streams.Stream) {
        silence = (stream.announcementCount, stream.published)
    }

    /// Whether the stream has something to publish.
    mutating func isOver(for stream: Streams.Stream, at now: MonotonicTime) -> Bool {
        nextCheck = now + Self.interval
        guard stream.announcement != nil, !stream.hasEnded else { return false }
        guard let silence else { return true }
        return stream.announcementCount != silence.announcements || stream.published != silence.published
    }
}
