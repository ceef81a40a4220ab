import Connecting
import Delivery
import Media
import Reactor
import SRTServer
import Streams
import Synchronization

/// One session of a forward with an SRT server. The thread of SRT sends; this only begins and ends the call, and looks every 100 ms what has
/// become of it. Confined to its loop.
final class SRTForwardSession: ForwardSession {
    let start: MonotonicTime
    private let plan: SRTForwardPlan
    private let forward: Forward
    /// `nil` if libsrt is not installed.
    private var call: OutgoingCall?
    private let inbox = Inbox()
    private(set) var end: ForwardEnd?
    /// Why it ends, while the call is closed.
    private var departure: ForwardEnd?
    private(set) var nextDeadline: MonotonicTime
    private var silence = SilenceWatch()
    private var counted = Counts()

    private static let interval: Int64 = 100_000_000

    /// What has become of the call. Thread-safe.
    private final class Inbox: Sendable {
        private let waiting = Mutex<[OutgoingCall.Event]>([])

        func put(_ event: OutgoingCall.Event) { waiting.withLock { $0.append(event) } }

        func take() -> [OutgoingCall.Event] {
            waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
        }
    }

    /// What the status of the forward has of this session.
    private struct Counts {
        var packets: Int64 = 0
        var bytes: Int64 = 0
        var droppedUnits: UInt64 = 0
    }

    /// - Parameter policy: what happens if the server does not keep up.
    init(by plan: SRTForwardPlan, of forward: Forward, policy: SlowViewerPolicy, at now: MonotonicTime) {
        (self.plan, self.forward, start, nextDeadline) = (plan, forward, now, now + Self.interval)
        do throws(SRTFailure) {
            let loop = try plan.calls.loaded()
            let (stream, inbox) = (forward.stream, inbox)
            call = OutgoingCall(to: plan.url, permittedBy: plan.calls.destinations) { target, events in
                loop.send(stream, to: target, policy: policy, events: events)
            } events: {
                inbox.put($0)
            }
            plan.call.withLock { $0 = call }
            call?.start()
        } catch {
            end = ForwardEnd(.failed(SessionFailure("\(error)", .refused)))
        }
    }

    func socketIsReady(_ readiness: Readiness, socket: Int, _ buffers: OutgoingBuffers, at now: MonotonicTime) {}

    func deadlinePassed(at now: MonotonicTime) {
        guard nextDeadline <= now else { return }
        nextDeadline = now + Self.interval
        for event in inbox.take() {
            switch event {
            case .connected:
                silence.begin(at: now)
                forward.began(at: now)
            case .ended(let reason):
                end = end ?? departure ?? (forward.stream.hasEnded ? ForwardEnd(.endedSource) : ForwardEnd(reason))
            }
        }
        count()
        guard end == nil, silence.nextCheck <= now else { return }
        // Bytes of all tracks: any new ones are media.
        if silence.isSilent(after: Int64(forward.stream.published.byteCount), at: now) {
            leave(because: ForwardEnd(.silentSource(seconds: SilenceWatch.seconds)), at: now)
        }
    }

    func leave(because reason: ForwardEnd, at now: MonotonicTime) {
        guard end == nil, departure == nil else { return }
        departure = reason
        call?.close()
    }

    func settle(at now: MonotonicTime) {}

    func close(at now: MonotonicTime) {
        count()
        call?.close()
        plan.call.withLock { $0 = nil }
    }

    private func count() {
        guard let status = call?.status, let statistics = status.statistics else { return }
        let sent = Counts(
            packets: statistics.sentCount, bytes: Int64(clamping: statistics.sentByteCount),
            droppedUnits: status.droppedUnits)
        forward.note {
            $0.add(
                packets: sent.packets - counted.packets, bytes: sent.bytes - counted.bytes,
                droppedUnits: sent.droppedUnits - min(sent.droppedUnits, counted.droppedUnits))
        }
        counted = sent
    }
}

extension ForwardEnd {
    init(_ end: OutgoingCall.End) {
        switch end {
        case .call(.tracksChanged): self.init(.tracksChanged)
        case .call(.stalled): self.init(.stalled)
        case .call(.closed): self.init(.stopped)
        case .call, .notCalled: self.init(.failed(SessionFailure(end)))
        }
    }
}
