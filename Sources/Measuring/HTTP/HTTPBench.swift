import Glibc
import Media
import NIOCore
import NIOHTTP1
import NIOPosix
import Reactor

/// Runs many viewers of one stream over HTTP at once. Confined to its event loop.
final class HTTPBench {
    private let plan: ViewersPlan
    private let stream: HTTPStream
    private let loop: any NIOCore.EventLoop
    private let progress: (@Sendable (ViewersProgress) -> Void)?
    private let finished: EventLoopPromise<MeasuredViewers>
    private var viewers: [any HTTPViewer] = []
    private let playlists = PlaylistCache()
    private var phase = Phase.starting
    private var tally = ViewersTally()
    private var steady: SteadyWindow
    private var isGathering = false
    private var nextProgress = MonotonicTime(nanoseconds: .min)

    private enum Phase {
        case starting
        case running(since: MonotonicTime)
        /// All viewers have left; the server cleans up.
        case settling(until: MonotonicTime)
        case done
    }

    private static let tickMilliseconds: Int64 = 10
    /// Maximum of connections opened per tick, so that open ones are not delayed.
    private static let openedPerTick = 8

    /// Runs `plan` on a thread of its own and returns the result; blocks the calling thread. `progress` is called twice a second, on
    /// that thread.
    static func run(
        _ plan: ViewersPlan, _ stream: HTTPStream, progress: (@Sendable (ViewersProgress) -> Void)?
    ) -> MeasuredViewers {
        DescriptorLimit.raise()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // A group that has run can always be shut down; if not, the process is about to end anyway.
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let finished = loop.makePromise(of: MeasuredViewers.self)
        loop.execute { HTTPBench(plan, stream, loop, finished, progress).tick() }
        do {
            return try finished.futureResult.wait()
        } catch {
            preconditionFailure("the promise is never failed")
        }
    }

    private init(
        _ plan: ViewersPlan, _ stream: HTTPStream, _ loop: any NIOCore.EventLoop,
        _ finished: EventLoopPromise<MeasuredViewers>, _ progress: (@Sendable (ViewersProgress) -> Void)?
    ) {
        (self.plan, self.stream, self.loop, self.finished, self.progress) = (plan, stream, loop, finished, progress)
        steady = SteadyWindow(viewers: plan.count)
    }

    private func tick() {
        let now = MonotonicTime.now()
        switch phase {
        case .starting:
            tally.serverBefore = plan.server?.snapshot()
            phase = .running(since: now)
        case .running(let start): run(since: start, at: now)
        case .settling(let deadline) where now >= deadline: return finish()
        case .settling, .done: break
        }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Self.tickMilliseconds)) { [self] in tick() }
    }

    private func run(since start: MonotonicTime, at now: MonotonicTime) {
        let elapsed = now - start
        let target = min(Double(plan.count), Double(elapsed) / 1e9 * plan.rampPerSecond)
        for _ in 0..<Self.openedPerTick where Double(viewers.count) < target { open(at: now) }
        if let progress, now >= nextProgress {
            nextProgress = now.advanced(byMilliseconds: 500)
            progress(ViewersProgress(elapsedSeconds: Double(elapsed) / 1e9, viewers: viewers.map(\.record)))
        }
        steady.beginIfSettled(at: now) { mark(at: now) }
        if Double(elapsed) >= plan.seconds * 1e9 { leave(at: now) }
    }

    private func open(at now: MonotonicTime) {
        let viewer = viewer(ViewerRecord(.steady, opened: now))
        viewers.append(viewer)
        let handler = NIOLoopBound(ViewerConnection(stream, of: viewer), eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let responses = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
                    try pipeline.addHandlers(HTTPRequestEncoder(), responses)
                    try pipeline.addHandler(handler.value)
                }
            }
            .connect(host: stream.host, port: stream.port)
            .assumeIsolated()
            .whenFailure { viewer.end(.unreachable(Self.reason(of: $0))) }
    }

    private func viewer(_ record: ViewerRecord) -> any HTTPViewer {
        switch stream.format {
        case .file: FileViewer(stream, record, of: self)
        case .webSocket: SocketViewer(stream, record, of: self)
        case .hls(let playback): PlaylistViewer(stream, playback, record, playlists, of: self)
        }
    }

    /// The reason of the last address that was tried; SwiftNIO's own description is long.
    private static func reason(of error: any Error) -> String {
        guard let attempts = error as? NIOConnectionError else { return "\(error)" }
        guard let last = attempts.connectionErrors.last?.error as? IOError else {
            return "unknown host \(attempts.host)"
        }
        return String(cString: strerror(last.errnoCode))
    }

    private func leave(at now: MonotonicTime) {
        tally.serverPlaying = plan.server?.snapshot()
        steady.end { mark(at: now) }
        phase = .settling(until: now.advanced(byMilliseconds: 1_000))
        for viewer in viewers { viewer.end(.finished) }
    }

    private func mark(at now: MonotonicTime) -> SteadyUse.Mark {
        tally.mark(with: viewers.map(\.record), plan.server, at: now)
    }

    private func finish() {
        phase = .done
        for viewer in viewers { tally.add(viewer.record) }
        tally.serverAfter = plan.server?.snapshot()
        tally.steady = steady.use
        finished.succeed(MeasuredViewers(plan, tally))
    }
}

extension HTTPBench {
    /// A viewer has joined, or has failed before.
    func viewerSettled(at now: MonotonicTime) { steady.viewerSettled(at: now) }

    func received(_ fragment: FragmentReader.Fragment, by record: ViewerRecord, at now: MonotonicTime) {
        guard case .running = phase else { return }
        let frame = record.received(fragment, at: now, lateNanoseconds: plan.lateMilliseconds &* 1_000_000)
        if let frame { tally.add(frame, isKept: plan.keepsFrames) }
        gather()
    }

    /// Lets packets gather once what has arrived is read.
    private func gather() {
        guard plan.gatherMilliseconds > 0, !isGathering else { return }
        isGathering = true
        loop.assumeIsolated().execute { [self] in
            plan.gather()
            isGathering = false
        }
    }
}
