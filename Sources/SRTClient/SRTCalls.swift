import Connecting
import Logging
import Reactor
import SRTServer
import Synchronization

/// The calls to SRT servers. They share the thread of SRT with the server, if there is one. The thread and the library exist only if a
/// server or a path needs them. Thread-safe.
///
/// Loading the library takes milliseconds, so no media loop may do it. Sessions of forwards begin on media loops: they use ``loaded()``,
/// and ``load()`` is called before. Pulls begin on the threads of their sources, which may load.
public final class SRTCalls: Sendable {
    /// Where calls may go.
    public let destinations: PermittedDestinations
    private let logger: Logger

    private enum State {
        case unused
        /// The last attempt to load the library, or to start the thread, has failed.
        case failed(SRTFailure)
        /// The thread may not have been started yet.
        case made(SRTLoop, isStarted: Bool)
        case ended
    }
    private let state = Mutex(State.unused)

    public init(_ destinations: PermittedDestinations = PermittedDestinations(), logger: Logger) {
        (self.destinations, self.logger) = (destinations, logger)
    }

    /// Loads libsrt, unless it is loaded. Blocks for milliseconds, so it must not be called on a media loop.
    ///
    /// - Returns: the thread that a server is to use, which ``start()`` starts. What it is told before waits for that.
    /// - Throws: if libsrt is not installed. The next call tries again.
    @discardableResult
    public func load() throws(SRTFailure) -> SRTLoop {
        if let loop = present { return loop }
        let made: SRTLoop
        do throws(SRTFailure) {
            // Without the lock, which media loops take.
            made = try SRTLoop(logger: logger)
        } catch {
            note(error)
            throw error
        }
        return try state.withLock { state throws(SRTFailure) in
            switch state {
            // Another thread has loaded it meanwhile.
            case .made(let loop, _): return loop
            case .ended: throw .stopped
            case .unused, .failed:
                state = .made(made, isStarted: false)
                return made
            }
        }
    }

    /// Starts the thread, unless it runs. Loads libsrt as ``load()`` does.
    @discardableResult
    public func start() throws(SRTFailure) -> SRTLoop {
        try load()
        return try state.withLock { state throws(SRTFailure) in
            guard case .made(let loop, let isStarted) = state else { throw .stopped }
            guard !isStarted else { return loop }
            do throws(SystemError) {
                try loop.start()
            } catch {
                let failure = SRTFailure(description: "\(error)")
                state = .failed(failure)
                throw failure
            }
            state = .made(loop, isStarted: true)
            return loop
        }
    }

    /// The thread that carries out calls. Loads nothing and does not block, so a media loop may call it.
    ///
    /// - Throws: why there is none, such as a missing library.
    func loaded() throws(SRTFailure) -> SRTLoop {
        try state.withLock { state throws(SRTFailure) in
            switch state {
            case .made(let loop, _): return loop
            case .failed(let failure): throw failure
            case .unused: throw SRTFailure(description: "libsrt is not loaded")
            case .ended: throw .stopped
            }
        }
    }

    /// Whether libsrt was loaded for calls or a server.
    public var isLoaded: Bool { present != nil }

    /// What libsrt has counted on each connection that receives, by the path of its stream: publishers, and streams that are pulled.
    public func receptions() async -> [String: SRTStatistics] {
        guard case .made(let loop, isStarted: true) = state.withLock(\.self) else { return [:] }
        return await loop.receptions()
    }

    private var present: SRTLoop? { if case .made(let loop, _) = state.withLock(\.self) { loop } else { nil } }

    private func note(_ failure: SRTFailure) {
        state.withLock { state in
            switch state {
            case .unused, .failed: state = .failed(failure)
            case .made, .ended: break
            }
        }
    }

    /// Ends all connections and the thread, and waits for it: for less than a second.
    public func stop() {
        let former = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .made(let loop, true) = former { loop.stop() }
    }
}

extension SRTFailure {
    fileprivate static let stopped = Self(description: "SRT has stopped")
}
