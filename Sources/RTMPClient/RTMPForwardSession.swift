import Connecting
import Delivery
import Media
import RTMP
import RTMPDelivery
import Reactor
import Streams

/// One session of a forward with an RTMP server. A server that is too slow is treated as a slow viewer: it skips to a keyframe, and nothing
/// queues for it. Confined to the loop.
final class RTMPForwardSession: ForwardSession {
    let start: MonotonicTime
    private let forward: Forward
    private let surroundings: OutgoingSurroundings
    private let session: ServerSession
    /// `nil` before the server takes the stream, and after the end.
    private var publication: OutgoingPublication?
    private(set) var end: ForwardEnd?
    /// Why it ends, while the server is told of it.
    private var departure: ForwardEnd?
    private var departureDeadline = MonotonicTime.distantFuture
    private var silence = SilenceWatch()
    /// Makes the stream exist in which tracks are encoded again, also while its media is waited for.
    private var companionUse: StreamUse?
    /// When media must be known after the server has accepted; `nil` before that.
    private var mediaDeadline: MonotonicTime?

    /// How long the server may take to read the farewell.
    private static let departureMilliseconds: Int64 = 2_000
    /// How long the tracks may take that are encoded for this server.
    private static let mediaMilliseconds: Int64 = 10_000
    /// Bytes that the kernel holds before it sends them, as for players: what is there can no longer be skipped.
    private static let unsentByteCount: Int32 = 16_384

    init(
        by plan: RTMPSessionPlan, of forward: Forward, in surroundings: OutgoingSurroundings, at now: MonotonicTime
    ) {
        (self.forward, self.surroundings, start) = (forward, surroundings, now)
        session = ServerSession(plan, in: surroundings, at: now)
    }

    var nextDeadline: MonotonicTime {
        min(session.nextDeadline, departureDeadline, publication == nil ? .distantFuture : silence.nextCheck)
    }

    func socketIsReady(_ readiness: Readiness, socket: Int, _ buffers: OutgoingBuffers, at now: MonotonicTime) {
        guard end == nil else { return }
        session.socketIsReady(readiness, &buffers.link, at: now) { _ in }
    }

    func deadlinePassed(at now: MonotonicTime) {
        if departureDeadline <= now { return end = departure }
        session.deadlinePassed(at: now)
        guard let publication, silence.nextCheck <= now else { return }
        count(publication)
        if forward.stream.hasEnded { return leave(because: ForwardEnd(.endedSource), at: now) }
        if silence.isSilent(after: publication.unitCount, at: now) {
            leave(because: ForwardEnd(.silentSource(seconds: SilenceWatch.seconds)), at: now)
        }
    }

    func send(at now: MonotonicTime) -> MonotonicTime {
        guard end == nil, departure == nil, session.hasStarted else { return .distantFuture }
        if publication == nil { begin(at: now) }
        guard let publication else { return departure == nil ? now + OutgoingPublication.tick : .distantFuture }
        let next = publication.send(by: surroundings.place.delivery.policy, at: now)
        if next == nil { leave(because: ForwardEnd(.stalled), at: now) }
        return next ?? .distantFuture
    }

    /// The server takes media from now on.
    private func begin(at now: MonotonicTime) {
        guard let transport = session.transport, let framing = session.framing else { return }
        // Services take H.265 without saying so.
        let codecs = session.codecs.union(.h265)
        let source = forward.stream.stream(for: FLVPackager.self)
        if source !== forward.stream, companionUse == nil { companionUse = StreamUse(of: source) }
        do throws(OutgoingPublication.Refusal) {
            publication = try OutgoingPublication(
                source, of: forward.stream, to: codecs, over: transport, framing, on: surroundings.place, at: now)
            session.limitUnsent(toBytes: Self.unsentByteCount)
            silence.begin(at: now)
            forward.began(at: now)
            surroundings.touch()
        } catch {
            switch error {
            case .noTrack(let tracks):
                let reason = "the server takes none of the stream's tracks (\(tracks.summary))"
                leave(because: ForwardEnd(.failed(SessionFailure(reason, .refused))), at: now)
            case .noMedia:
                let deadline = mediaDeadline ?? now.advanced(byMilliseconds: Self.mediaMilliseconds)
                mediaDeadline = deadline
                guard deadline <= now else { return }
                let failure = SessionFailure("the stream's media was not ready in time")
                leave(because: ForwardEnd(.failed(failure)), at: now)
            }
        }
    }

    func leave(because reason: ForwardEnd, at now: MonotonicTime) {
        guard end == nil, departure == nil else { return }
        endPublication()
        surroundings.touch()
        // Nothing reaches a server that does not read.
        guard session.canSend else { return end = reason }
        departure = reason
        departureDeadline = now.advanced(byMilliseconds: Self.departureMilliseconds)
        session.stop(at: now)
    }

    func settle(at now: MonotonicTime) {
        session.settle(at: now)
        if let failure = session.failure {
            end = end ?? departure ?? ForwardEnd(.failed(failure))
        } else if let departure, session.isDrained {
            end = end ?? departure
        }
    }

    func close(at now: MonotonicTime) {
        endPublication()
        session.close(at: now)
    }

    private func endPublication() {
        companionUse = nil
        guard let publication = publication.take() else { return }
        count(publication)
        publication.end()
    }

    private func count(_ publication: OutgoingPublication) {
        let (sent, droppedUnits) = publication.takeCounts()
        guard sent.messages > 0 || droppedUnits > 0 else { return }
        session.sentMedia(byteCount: sent.bytes)
        forward.note { $0.add(packets: Int64(sent.messages), bytes: Int64(sent.bytes), droppedUnits: droppedUnits) }
    }
}
