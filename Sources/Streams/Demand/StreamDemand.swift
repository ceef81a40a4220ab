import Synchronization

/// Counts what needs a stream: viewers' sessions, substreams, and clients that wait for its first frame. Thread-safe.
///
/// A source that runs on demand starts when the first use begins, and stops some time after the last one has ended.
public final class StreamDemand: Sendable {
    /// Why the source of a stream cannot run now.
    public struct Failure: Hashable, Sendable {
        public let reason: String
        /// Seconds until the source is tried again.
        public let retrySeconds: Int

        public init(reason: String, retrySeconds: Int) {
            (self.reason, self.retrySeconds) = (reason, retrySeconds)
        }
    }

    private struct State {
        var useCount = 0
        /// Increases with each change between needed and not needed.
        var generation: UInt64 = 0
        var startMilliseconds: Int64?
        var failure: Failure?
        var observer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    init() {}

    /// Whether the stream is needed now.
    public var isNeeded: Bool { state.withLock { $0.useCount > 0 } }

    /// A number that changes whenever the stream begins or ceases to be needed.
    public var generation: UInt64 { state.withLock { $0.generation } }

    /// How long clients wait for a source that starts on demand; `nil` if it runs all the time.
    public var startMilliseconds: Int64? {
        get { state.withLock { $0.startMilliseconds } }
        set { state.withLock { $0.startMilliseconds = newValue } }
    }

    /// Why the source of an on-demand stream does not run; `nil` while it starts or runs.
    public var failure: Failure? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// Sets the closure that is called after each change of ``isNeeded``, on the thread of the change. Changes of several threads
    /// may be reported in another order, so the closure must look at the present value.
    public func observe(_ observer: (@Sendable () -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    fileprivate func began() { change(by: 1) }

    fileprivate func ended() { change(by: -1) }

    private func change(by step: Int) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            let wasNeeded = state.useCount > 0
            state.useCount += step
            guard wasNeeded != (state.useCount > 0) else { return nil }
            state.generation &+= 1
            return state.observer
        }
        observer?()
    }
}

/// One use of a stream, which lasts as long as the object.
public final class StreamUse: Sendable {
    private let demand: StreamDemand

    public init(of stream: Stream) {
        demand = stream.demand
        demand.began()
    }

    deinit { demand.ended() }
}
