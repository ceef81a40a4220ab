import Connecting
import Logging
import Reactor
import SRTServer
import Synchronization

/// The calls to SRT servers, on the thread of SRT, which also serves clients if there is a server. Without a server and without a call
/// there is neither that thread nor its library. Thread-safe.
public final class SRTCalls: Sendable {
    /// Where calls may go.
    public let destinations: PermittedDestinations
    private let logger: Logger

    private enum State {
        case unused
        /// The thread may not have been started yet.
        case made(SRTLoop, isStarted: Bool)
        case ended
    }
    private let state = Mutex(State.unused)

    public init(_ destinations: PermittedDestinations = PermittedDestinations(), logger: Logger) {
        (self.destinations, self.logger) = (destinations, logger)
    }

    /// The thread that a server is to use. It is started by ``start()``, or by the first call.
    ///
    /// - Throws: if libsrt is not installed.
    public func loop() throws(SRTFailure) -> SRTLoop {
        try state.withLock { state throws(SRTFailure) in
            switch state {
            case .made(let loop, _): return loop
            case .ended: throw SRTFailure(description: "SRT has stopped")
            case .unused:
                let loop = try SRTLoop(logger: logger)
                state = .made(loop, isStarted: false)
                return loop
            }
        }
    }

    /// Starts the thread, unless it runs.
    @discardableResult
    public func start() throws(SRTFailure) -> SRTLoop {
        let loop = try loop()
        try state.withLock { state throws(SRTFailure) in
            guard case .made(let loop, false) = state else { return }
            do throws(SystemError) {
                try loop.start()
            } catch {
                throw SRTFailure(description: "\(error)")
            }
            state = .made(loop, isStarted: true)
        }
        return loop
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
