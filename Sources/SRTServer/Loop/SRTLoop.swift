import CSRT
import Glibc
import Logging
import Media
import Reactor
import Synchronization

/// The thread of SRT: it waits for libsrt's sockets, and serves the connections of a server and of callers.
///
/// libsrt has no descriptor that an event loop could watch, so its sockets need a thread of their own. What is received is published
/// from this thread, as from that of a source; what is sent is read from feeds, as on any loop (docs/decisions/069). Nothing of it runs
/// on an event loop, and nothing on it waits for one.
///
/// Feeds cannot interrupt libsrt's wait, so it ends every 5 to 10 ms while something is sent. The latency of SRT is at least twice that.
public final class SRTLoop: Sendable {
    typealias Work = @Sendable (LoopState) -> Void

    private struct State {
        var work: [Work] = []
        var thread: pthread_t?
        var hasEnded = false
    }

    private let state = Mutex(State())
    let log: ServiceLog

    /// Loads libsrt.
    ///
    /// - Throws: if the library is not installed.
    public init(logger: Logger) throws(SRTFailure) {
        if let reason = apus_load_srt() {
            throw SRTFailure(description: "SRT needs libsrt (the package libsrt1.5-gnutls): \(String(cString: reason))")
        }
        log = ServiceLog(logger)
        LibraryLog.send(to: log)
    }

    /// Starts the thread.
    public func start() throws(SystemError) {
        let thread = try startThread { [self] in
            nameThisThread("apus-srt")
            run()
        }
        state.withLock { $0.thread = thread }
    }

    /// Ends all connections and the thread, and waits for it: for less than a second.
    public func stop() {
        perform { $0.isStopping = true }
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// Calls `work` on the thread, within about 10 ms.
    ///
    /// - Returns: false if the thread has ended; then it is not called.
    @discardableResult
    func perform(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else { return false }
            state.work.append(work)
            return true
        }
    }

    /// The answer of `question`, which is called on the thread; `nil` if the thread has ended.
    func ask<Answer: Sendable>(_ question: @escaping @Sendable (LoopState) -> Answer) async -> Answer? {
        await withCheckedContinuation { continuation in
            let isAsked = perform { continuation.resume(returning: question($0)) }
            if !isAsked { continuation.resume(returning: nil) }
        }
    }

    /// What libsrt has counted on each connection that receives, by the path of its stream: publishers, and streams that are pulled. Asked
    /// of libsrt now, within about 20 ms. The thread must have been started.
    public func receptions() async -> [String: SRTStatistics] {
        await ask { loop in
            loop.members.flatMap(\.receptions).reduce(into: [:]) { $0[$1.path] = $1.socket.statistics }
        } ?? [:]
    }

    // MARK: The thread

    private func run() {
        do throws(SRTFailure) {
            let loop = LoopState(sockets: try SocketSet())
            while !loop.isStopping { turn(loop) }
            loop.stop(at: .now())
            endWork(loop)
        } catch {
            log.log(.failure, .error, "SRT cannot be served", reason: "\(error)")
            state.withLock { $0.hasEnded = true }
        }
    }

    /// The longest wait, in milliseconds: how long work of other threads may wait if nothing is connected.
    private static let longestWait: Int64 = 20

    private func turn(_ loop: LoopState) {
        let wait = min(max(0, (loop.nextTurn - .now()) / 1_000_000), Self.longestWait)
        let ready = loop.sockets.wait(milliseconds: wait)
        for work in takeWork() { work(loop) }
        loop.turn(ready, at: .now())
    }

    private func takeWork() -> [Work] {
        state.withLock { state in
            guard !state.work.isEmpty else { return [] }
            defer { state.work = [] }
            return state.work
        }
    }

    /// Questions that came meanwhile are answered: nothing is connected any more.
    private func endWork(_ loop: LoopState) {
        let last = state.withLock { state in
            state.hasEnded = true
            defer { state.work = [] }
            return state.work
        }
        for work in last { work(loop) }
    }
}
