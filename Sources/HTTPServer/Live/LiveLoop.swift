import Media
import NIOCore
import Reactor
import Serving
import Streams
import Synchronization

/// The live viewers of one event loop. Confined to the loop.
///
/// A source wakes the loop once per unit, however many viewers there are. The loop then sends each viewer what the viewer's channel
/// takes. When a full channel becomes writable, the loop serves its viewer again.
final class LiveLoop {
    private let loop: any NIOCore.EventLoop
    private let services: any SharedServices
    private let options: ServerOptions
    private let fastStartBudget: MemoryBudget
    private let log: ServerLog
    /// Tells the WebSockets of this loop how the streams change.
    let catalog: CatalogWatch
    private var waker: LiveWaker?
    private var audiences: [ObjectIdentifier: LiveAudience] = [:]
    /// The audience of each viewer that plays.
    private var places: [UInt64: LiveAudience] = [:]
    /// Viewers of streams without media so far. At its deadline a viewer gets an error; without a deadline it waits for ever.
    private var waiting: [(viewer: LiveViewer, deadline: MonotonicTime?)] = []
    private(set) var statistics = LiveStatistics()
    private var isTicking = false
    /// Whether a viewer is served now. Its channel may tell meanwhile that it takes more.
    private var isServing = false

    /// The time between two looks at viewers that wait for media or do not keep up, in milliseconds.
    private static let tickMilliseconds: Int64 = 20

    init(_ loop: any NIOCore.EventLoop, _ context: ServerContext) {
        (self.loop, services, options) = (loop, context.services, context.options)
        (fastStartBudget, log) = (context.fastStartBudget, context.log)
        catalog = CatalogWatch(loop, context.catalog)
        waker = LiveWaker(loop, NIOLoopBound(self, eventLoop: loop))
    }

    // MARK: Coming and going

    /// Serves a viewer as soon as its stream has media.
    ///
    /// - Parameter patience: after how many milliseconds without media it is given up; `nil` for never.
    func add(_ viewer: LiveViewer, patience: Int64?) {
        let now = MonotonicTime.now()
        waiting.append((viewer, patience.map { now.advanced(byMilliseconds: $0) }))
        startWaiting(at: now)
        tick()
    }

    /// Forgets a viewer. Its body has ended, or its connection has closed.
    func remove(_ viewer: LiveViewer, because reason: LiveEnd = .clientLeft) {
        waiting.removeAll { $0.viewer === viewer }
        guard let audience = places.removeValue(forKey: viewer.number) else { return }
        audience.remove(viewer)
        log.activity("left", viewer, because: reason)
        viewer.reportLeft(because: reason)
        guard audience.viewers.isEmpty else { return }
        if let waker { audience.feed.detach(waker) }
        audiences[ObjectIdentifier(audience.feed)] = nil
    }

    /// Ends the viewers to which the closure names a reason.
    func end(_ reason: (LiveViewer) -> LiveEnd?) {
        for viewer in allViewers {
            if let reason = reason(viewer) { end(viewer, reason) }
        }
    }

    /// Ends all viewers and WebSockets, because the server stops.
    func stop() {
        end { _ in .serverStops }
        for socket in catalog.all { socket.end(.serverStops) }
        waker = nil
    }

    /// Ends what the access policy no longer permits.
    func review() {
        end { $0.facts.isPermitted() ? nil : .notPermitted }
        for socket in catalog.all { socket.review() }
    }

    private func end(_ viewer: LiveViewer, _ reason: LiveEnd) {
        remove(viewer, because: reason)
        viewer.body.end(reason)
    }

    private var allViewers: [LiveViewer] { waiting.map(\.viewer) + audiences.values.flatMap(\.viewers) }

    // MARK: Waiting for media

    private func startWaiting(at now: MonotonicTime) {
        for (viewer, deadline) in waiting {
            switch start(viewer, deadline: deadline, at: now) {
            case .waits: break
            case .joined(let audience):
                waiting.removeAll { $0.viewer === viewer }
                places[viewer.number] = audience
                log.activity("joined", viewer)
                viewer.reportJoined()
                serve(viewer, in: audience, at: now)
            case .refused(let reason): end(viewer, reason)
            }
        }
    }

    private enum Start {
        case waits
        case joined(LiveAudience)
        case refused(LiveEnd)
    }

    private func start(_ viewer: LiveViewer, deadline: MonotonicTime?, at now: MonotonicTime) -> Start {
        let stream = viewer.facts.path.stream
        if stream.hasEnded { return .refused(.streamRemoved) }
        guard stream.announcement != nil else { return noInput(of: stream, deadline, at: now) }
        let source = stream.stream(for: LivePackager.self)
        viewer.follow(source)
        guard let waker, let feed = source.feed(LivePackager.self, options: viewer.facts.placement, for: waker) else {
            return noInput(of: stream, deadline, at: now)
        }
        let existing = audiences[ObjectIdentifier(feed)]
        let audience = existing ?? LiveAudience(source, feed, fastStartBudget: fastStartBudget)
        guard audience.join(viewer, at: now) else {
            if existing == nil { feed.detach(waker) }
            return .refused(.noTracks)
        }
        audiences[ObjectIdentifier(feed)] = audience
        return .joined(audience)
    }

    /// Whether a viewer waits longer for the first media.
    private func noInput(of stream: Streams.Stream, _ deadline: MonotonicTime?, at now: MonotonicTime) -> Start {
        guard let deadline else { return .waits }
        if stream.demand.startMilliseconds != nil, let failure = stream.demand.failure {
            return .refused(.noInput(reason: failure.reason, retrySeconds: failure.retrySeconds))
        }
        guard now >= deadline else { return .waits }
        return .refused(.noInput(reason: "\(stream.path) has no input; see the server's log", retrySeconds: 2))
    }

    // MARK: Serving

    /// Sends all viewers what is new.
    func turn() {
        let now = MonotonicTime.now()
        for audience in audiences.values {
            audience.update(at: now)
            for viewer in audience.viewers { serve(viewer, in: audience, at: now) }
        }
        tick()
    }

    /// The channel of a viewer takes more.
    func becameWritable(_ viewer: LiveViewer) {
        guard let audience = places[viewer.number] else { return }
        guard isServing else { return serve(viewer, in: audience, at: .now()) }
        loop.assumeIsolated().execute { [self] in becameWritable(viewer) }
    }

    private func serve(_ viewer: LiveViewer, in audience: LiveAudience, at now: MonotonicTime) {
        isServing = true
        let reason = audience.serve(viewer, by: options.policy, &statistics, at: now)
        isServing = false
        if let reason { end(viewer, reason) }
    }

    /// Looks again after a while, if viewers wait for media or for their channels.
    private func tick() {
        guard !isTicking, waker != nil, !waiting.isEmpty || !audiences.isEmpty else { return }
        isTicking = true
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Self.tickMilliseconds)) { [self] in
            isTicking = false
            let now = MonotonicTime.now()
            startWaiting(at: now)
            for audience in audiences.values {
                audience.update(at: now)
                for viewer in audience.viewers where viewer.follower.backlog != .none {
                    serve(viewer, in: audience, at: now)
                }
            }
            tick()
        }
    }

    // MARK: Status

    /// How many viewers play, by path.
    var viewerCounts: [String: Int] {
        audiences.values.flatMap(\.viewers).reduce(into: [:]) { counts, viewer in
            if viewer.startedAt != nil { counts[viewer.facts.path.stream.path, default: 0] += 1 }
        }
    }

    func viewers(at now: MonotonicTime) -> [FollowerStatus] {
        audiences.values.flatMap { audience in
            audience.viewers.compactMap { viewer in
                viewer.startedAt.map { start in
                    var status = FollowerStatus(
                        id: viewer.id, path: viewer.facts.path.stream.path, peer: viewer.facts.client.peer,
                        client: viewer.facts.client.userAgent.isEmpty ? nil : viewer.facts.client.userAgent,
                        user: viewer.facts.grant.user, transport: viewer.facts.transport, startedAt: start)
                    status.lag = viewer.lag(in: audience.view, at: now)
                    status.unreadByteCount = viewer.body.connection.bufferedByteCount
                    status.droppedUnits = viewer.droppedUnits
                    return status
                }
            }
        }
    }
}

/// Wakes the live viewers of one event loop. Wake-ups that come before its turn are one.
final class LiveWaker: Waker {
    private let loop: any NIOCore.EventLoop
    private let viewers: NIOLoopBound<LiveLoop>
    private let isAwake = Atomic(false)

    init(_ loop: any NIOCore.EventLoop, _ viewers: NIOLoopBound<LiveLoop>) {
        (self.loop, self.viewers) = (loop, viewers)
    }

    func wake() {
        guard !isAwake.exchange(true, ordering: .acquiring) else { return }
        loop.execute { [self] in
            isAwake.store(false, ordering: .releasing)
            viewers.value.turn()
        }
    }
}
