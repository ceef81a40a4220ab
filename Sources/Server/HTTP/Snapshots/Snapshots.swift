import HTTPServer
import Media
import Reactor
import Streams
import Synchronization

/// Makes snapshots of streams for clients of HTTP, on threads that exist only meanwhile. Thread-safe; nothing blocks.
final class Snapshots: Sendable {
    /// Gets its snapshot, or the reason why there is none, on any thread.
    typealias Client = @Sendable (Result<Snapshot, Problem>) -> Void

    private let schedule = Mutex(SnapshotSchedule<SnapshotFrame, Snapshot, Client>())
    private let tasks: WorkThread
    /// As many threads as paths may have work. A thread that is about to end may still count.
    private let pool = WorkPool(name: "apus-snapshot", threadLimit: 2, waitingLimit: 2)
    /// Clients that wait for the first frame of a source.
    private let waitingCount = Atomic(0)
    /// Responses that are not sent yet, because their clients are slow: about a hundred large images.
    let unsent = MemoryBudget(maximumByteCount: 32_000_000)
    /// Differs between two runs of the server.
    private let run = String(UInt64.random(in: .min ... .max), radix: 36)

    /// How many clients may wait for first frames.
    private static let maximumWaiting = 64
    /// The time between two looks at a stream that has no frame yet, in milliseconds.
    private static let pollInterval: Int64 = 20
    private static let busy = Problem(.serviceUnavailable, "too many snapshots are made now", retryAfter: 1)

    /// - Parameter tasks: looks at streams that have no frame yet.
    init(on tasks: WorkThread) {
        self.tasks = tasks
    }

    /// Responds with the newest frame of a stream, as soon as there is one.
    ///
    /// - Parameter patience: how long the client waits for the first frame, in milliseconds.
    func respond(
        to request: Request, _ exchange: Exchange, with width: SnapshotWidth, of stream: Streams.Stream,
        patience: Int64
    ) {
        let order = Order(
            request: request, exchange: exchange, width: width, stream: stream, use: StreamUse(of: stream),
            deadline: MonotonicTime.now().advanced(byMilliseconds: patience))
        do throws(Problem) {
            guard try hasFrame(order) else { return wait(order) }
            make(order)
        } catch {
            exchange.refuse(error)
        }
    }

    /// A request that is to be answered.
    private struct Order: Sendable {
        let request: Request
        let exchange: Exchange
        let width: SnapshotWidth
        let stream: Streams.Stream
        /// Makes the source of an on-demand stream run.
        let use: StreamUse
        let deadline: MonotonicTime
    }

    // MARK: Waiting for the first frame

    /// - Throws: why there will be none.
    private func hasFrame(_ order: Order) throws(Problem) -> Bool {
        let stream = order.stream
        guard !stream.hasEnded else { throw Problem(.notFound, "there is no such stream") }
        guard let tracks = stream.announcement?.tracks else {
            if stream.demand.startMilliseconds != nil, let failure = stream.demand.failure {
                throw Problem(.serviceUnavailable, failure.reason, retryAfter: failure.retrySeconds)
            }
            return false
        }
        guard tracks.contains(where: { $0.kind == .video }) else {
            throw Problem(.notAcceptable, "\(stream.path) has no video")
        }
        guard stream.newestFrame == nil else { return true }
        stream.requestKeyframe(at: .now())
        return false
    }

    private func wait(_ order: Order) {
        guard waitingCount.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
            waitingCount.subtract(1, ordering: .relaxed)
            return order.exchange.refuse(Self.busy)
        }
        lookLater(order)
    }

    private func lookLater(_ order: Order) {
        tasks.run(at: MonotonicTime.now().advanced(byMilliseconds: Self.pollInterval)) { [self] in
            do throws(Problem) {
                if try hasFrame(order) {
                    waitingCount.subtract(1, ordering: .relaxed)
                    make(order)
                } else if MonotonicTime.now() < order.deadline {
                    lookLater(order)
                } else {
                    throw Problem(
                        .serviceUnavailable, "\(order.stream.path) has no input; see the server's log", retryAfter: 2)
                }
            } catch {
                waitingCount.subtract(1, ordering: .relaxed)
                order.exchange.refuse(error)
            }
        }
    }

    // MARK: Making images

    private func make(_ order: Order) {
        let stream = order.stream
        // Without new frames, as from an absent source, nothing is decoded for a client that has the newest one.
        if let tag = stream.newestFrame?.entityTag(order.width, run: run), order.request.knows(tag) {
            return order.exchange.respond(Snapshot.notModified(tag))
        }
        let client: Client = { [self] in send($0, order) }
        let verdict = schedule.withLock {
            $0.requested(stream.path, order.width, by: client, at: .now())
        }
        switch verdict {
        case .image(let snapshot): client(.success(snapshot))
        case .waits: break
        case .refused: client(.failure(Self.busy))
        case .begins:
            guard !pool.run({ [self] in work(on: stream) }) else { return }
            fail(stream, Self.busy)
        }
    }

    /// Does the work of a path, on a thread of the pool.
    private func work(on stream: Streams.Stream) {
        do throws(Problem) {
            while let order = schedule.withLock({ $0.nextOrder(of: stream.path) }) {
                switch order {
                case .decode:
                    let frame = try SnapshotFrame(of: stream)
                    schedule.withLock { $0.decoded(frame, of: stream.path) }
                case .encode(let frame, let width):
                    let snapshot = try frame.snapshot(width, run: run)
                    let clients = schedule.withLock { $0.encoded(snapshot, width, of: stream.path) }
                    for client in clients { client(.success(snapshot)) }
                }
            }
        } catch {
            fail(stream, error)
        }
        expireLater()
    }

    private func fail(_ stream: Streams.Stream, _ problem: Problem) {
        let clients = schedule.withLock { schedule in
            let clients = schedule.failed(stream.path)
            // The work is complete.
            _ = schedule.nextOrder(of: stream.path)
            return clients
        }
        for client in clients { client(.failure(problem)) }
    }

    /// Frees the memory of frames that no client asks for.
    private func expireLater() {
        let interval = SnapshotSchedule<SnapshotFrame, Snapshot, Client>.Limits().interval
        tasks.run(at: MonotonicTime.now().advanced(byMilliseconds: interval)) { [weak self] in
            self?.schedule.withLock { $0.expire(at: .now()) }
        }
    }

    private func send(_ result: Result<Snapshot, Problem>, _ order: Order) {
        switch result {
        case .failure(let problem): order.exchange.refuse(problem)
        case .success(let snapshot):
            var response = snapshot.response(to: order.request)
            guard let charge = unsent.charge(response.body.count) else { return order.exchange.refuse(Self.busy) }
            response.charge = charge
            order.exchange.respond(response)
        }
    }
}
