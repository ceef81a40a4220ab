import CSRT
import Delivery
import Media
import RTP
import SRT
import Streams

/// A connection that was called for, from the first handshake to its end. Confined to the thread of SRT.
final class Call: LoopMember, SocketOwner {
    /// What it is for.
    enum Task {
        case receive(StreamInput, silenceSeconds: Int)
        case send(Streams.Stream, JoinOptions, SlowViewerPolicy)
    }

    private enum State {
        case connecting
        case receiving(TransportReception)
        /// Connected, and the stream has no media yet.
        case waiting(until: MonotonicTime)
        case sending(FeedSender, TransportAudience)
        case ended
    }

    let key: CallKey
    private let task: Task
    private let socket: SRTSocket
    private unowned let loop: LoopState
    private let events: @Sendable (SRTCall.Event) -> Void
    private let record: CallRecord
    private var nextRecord = MonotonicTime(nanoseconds: 0)
    private let reader = MessageReader()
    private let waker = SRTWaker()
    private let fastStartBudget = MemoryBudget(maximumByteCount: 2_000_000)
    /// Makes the sources of on-demand streams run.
    private var uses: [StreamUse] = []
    private var state = State.connecting

    /// The time between two looks at a feed, in nanoseconds. Feeds wake nothing.
    private static let tick: Int64 = 5_000_000
    /// How long a stream may have no media, in nanoseconds.
    private static let patience: Int64 = 3_000_000_000
    /// The time between two records of the status, in nanoseconds.
    private static let recordInterval: Int64 = 500_000_000

    init(
        _ key: CallKey, _ target: SRTCallTarget, _ task: Task, _ record: CallRecord, on loop: LoopState,
        _ events: @escaping @Sendable (SRTCall.Event) -> Void, at now: MonotonicTime
    ) throws(SRTFailure) {
        (self.key, self.task, self.record, self.loop, self.events) = (key, task, record, loop, events)
        socket = try SRTSocket.make()
        do throws(SRTFailure) {
            try socket.set(target.connection)
            try socket.set(apus_srt_connect_timeout, target.connectMilliseconds)
            try socket.setMediaOptions(peerIdleMilliseconds: target.peerIdleMilliseconds)
            if !target.streamID.isEmpty { try socket.set(apus_srt_stream_id, target.streamID) }
            guard loop.watch(socket, for: [.writable, .error], by: self) else { throw SRTFailure.last(of: "epoll") }
            try socket.connect(to: target.address)
        } catch {
            loop.close(socket)
            throw error
        }
    }

    // MARK: Input

    func socketIsReady(_ socket: SRTSocket, _ events: SocketSet.Events, at now: MonotonicTime) {
        if case .connecting = state {
            if events.contains(.error) { return end(connectionEnd, at: now) }
            if events.contains(.writable) { connected(at: now) }
            return
        }
        let isOpen = events.contains(.readable) ? read(at: now) : true
        if !isOpen || events.contains(.error) { end(.disconnected, at: now) }
    }

    /// Why there is no connection: libsrt has no reason if there was one for a moment.
    private var connectionEnd: SRTCall.End {
        let rejection = socket.rejection
        return rejection.rawValue == 0 ? .disconnected : .rejected(rejection)
    }

    private func connected(at now: MonotonicTime) {
        guard loop.watch(socket, for: [.readable, .error], by: self) else { return end(.disconnected, at: now) }
        switch task {
        case .receive(let input, let silenceSeconds):
            state = .receiving(TransportReception(into: input, silenceSeconds: silenceSeconds, at: now))
        case .send(let stream, _, _):
            uses = [StreamUse(of: stream)]
            state = .waiting(until: now + max(Self.patience, (stream.demand.startMilliseconds ?? 0) * 1_000_000))
        }
        events(.connected)
    }

    /// - Returns: false if the connection is broken.
    private func read(at now: MonotonicTime) -> Bool {
        guard case .receiving(var reception) = state else { return reader.drain(socket, at: now) }
        // The state is moved out, because a copy would copy the open frame with each message.
        state = .ended
        var reason: TransportReception.End?
        let isOpen = reader.read(socket, at: now) { message, number, due in
            reason = reception.received(message, number: number, due: due, at: now)
            return reason == nil
        }
        state = .receiving(reception)
        if let reason { end(.unusable(reason.text), at: now) }
        return isOpen
    }

    // MARK: Turns

    func turn(at now: MonotonicTime) -> MonotonicTime {
        switch state {
        case .connecting: return .distantFuture
        case .receiving:
            note(at: now)
            return min(passDeadline(at: now), nextRecord)
        case .waiting(let deadline):
            start(until: deadline, at: now)
            return now + Self.tick
        case .sending(let sender, let audience):
            note(at: now)
            serve(sender, audience, at: now)
            return now + Self.tick
        case .ended: return .distantFuture
        }
    }

    private func passDeadline(at now: MonotonicTime) -> MonotonicTime {
        guard case .receiving(var reception) = state else { return .distantFuture }
        guard reception.nextDeadline <= now else { return reception.nextDeadline }
        state = .ended
        let reason = reception.deadlinePassed(at: now) { socket.statistics?.roundTrip }
        let next = reception.nextDeadline
        state = .receiving(reception)
        if let reason { end(.unusable(reason.text), at: now) }
        return next
    }

    private func start(until deadline: MonotonicTime, at now: MonotonicTime) {
        guard case .send(let stream, let join, _) = task else { return }
        if stream.hasEnded { return end(.noMedia("\(stream.path) has ended"), at: now) }
        let source = stream.announcement == nil ? stream : stream.stream(for: MPEGTSPackager.self)
        if source !== stream, uses.count == 1 { uses.append(StreamUse(of: source)) }
        guard let feed = source.feed(MPEGTSPackager.self, options: TransportAudience.packaging, for: waker) else {
            if now >= deadline { end(.noMedia("\(stream.path) has no input"), at: now) }
            return
        }
        guard let audience = TransportAudience(source, feed, fastStartBudget: fastStartBudget) else {
            feed.detach(waker)
            return end(.noMedia("a transport stream can carry none of the stream's tracks"), at: now)
        }
        let sender = FeedSender(
            to: socket, leading: audience.leading.id, latency: socket.statistics?.sendLatency ?? 0, at: now)
        audience.join(sender, of: stream, join, at: now)
        state = .sending(sender, audience)
        serve(sender, audience, at: now)
    }

    private func serve(_ sender: FeedSender, _ audience: TransportAudience, at now: MonotonicTime) {
        guard case .send(let stream, _, let policy) = task else { return }
        _ = audience.update(at: now)
        guard !audience.hasEnded else {
            return end(stream.hasEnded ? .noMedia("\(stream.path) has ended") : .tracksChanged, at: now)
        }
        var wantsKeyframe = false
        let result = sender.serve(in: audience.view, by: policy, wantsKeyframe: &wantsKeyframe, at: now)
        if wantsKeyframe { audience.requestKeyframe(at: now) }
        switch result {
        case .keepsUp, .isBehind: break
        case .stalled: end(.stalled, at: now)
        case .broken: end(.disconnected, at: now)
        }
    }

    var receptions: [(path: String, socket: SRTSocket)] {
        guard case .receiving = state, case .receive(let input, _) = task else { return [] }
        return [(input.stream.path, socket)]
    }

    // MARK: Ending

    /// Ends it, unless it has ended.
    func end(_ reason: SRTCall.End, at now: MonotonicTime) {
        if case .ended = state { return }
        nextRecord = now
        note(at: now)
        if case .sending(_, let audience) = state { audience.end(waker) }
        state = .ended
        uses = []
        loop.close(socket)
        loop.remove(self)
        events(.ended(reason))
    }

    func stop(at now: MonotonicTime) { end(.closed, at: now) }

    /// Records how it does, if that is due.
    private func note(at now: MonotonicTime) {
        if case .connecting = state { return }
        guard nextRecord <= now else { return }
        nextRecord = now + Self.recordInterval
        var (lag, dropped): (Int64?, UInt64) = (nil, 0)
        if case .sending(let sender, let audience) = state {
            (lag, dropped) = (sender.lag(in: audience.view, at: now), sender.follower.droppedUnits)
        }
        let status = SRTCall.Status(lag: lag, droppedUnits: dropped, statistics: socket.statistics)
        record.status.withLock { $0 = status }
    }
}
