import RateControl
import Streams
import Synchronization

/// Creates a new source for each run, because the file at the path may have changed since the last run. The latest settings also
/// apply to later runs.
final class ReopenedSource: PathSource {
    let label: String

    private struct State {
        /// The latest settings.
        var path: Configuration.Path
        var source: (any PathSource)?
        /// What its encoder makes; `nil` for what is configured.
        var order: EncoderOrder?
        /// Whether the run must stop. Remains set until the end of the run, because the source may not exist yet.
        var isStopWanted = false
        /// The encoder counters of earlier runs.
        var past: SourceStatus?
        /// Whether the input of the last run has ended for good.
        var endedForGood = false

        var status: SourceStatus? {
            guard let past, let present = source?.status else { return past ?? source?.status }
            return past + present
        }

        /// - Returns: whether to run `source`, which was created with the settings of `made`.
        mutating func begin(_ source: any PathSource, with made: Configuration.Path) -> Bool {
            guard !isStopWanted else { return false }
            self.source = source
            // The settings may have changed while it was opened.
            if path != made { _ = source.change(to: path) }
            if order != nil { source.follow(order) }
            return true
        }

        mutating func end() {
            past = status
            endedForGood = source?.endsForGood ?? false
            source = nil
            isStopWanted = false
        }
    }

    private let open: @Sendable (Configuration.Path) throws(SourceFailure) -> any PathSource
    private let received: @Sendable () -> NetworkInput?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - received: what the source of the present run receives over the network. Called on any thread.
    ///   - open: creates the source of one run, with the latest settings.
    init(
        label: String, path: Configuration.Path, received: @escaping @Sendable () -> NetworkInput? = { nil },
        open: @escaping @Sendable (Configuration.Path) throws(SourceFailure) -> any PathSource
    ) {
        self.label = label
        (self.received, self.open) = (received, open)
        state = Mutex(State(path: path))
    }

    func run(into stream: Stream) throws(SourceFailure) {
        defer { state.withLock { $0.end() } }
        let path = state.withLock { $0.path }
        let source = try open(path)
        guard state.withLock({ $0.begin(source, with: path) }) else { return }
        try source.run(into: stream)
    }

    /// Uses these settings in this run and in later runs.
    func change(to path: Configuration.Path) -> ReconfigurationResult {
        state.withLock { state in
            state.path = path
            return state.source?.change(to: path) ?? .appliedAtNextStart
        }
    }

    func stop() {
        let source = state.withLock { state in
            state.isStopWanted = true
            return state.source
        }
        source?.stop()
    }

    func requestKeyframe() {
        state.withLock { $0.source }?.requestKeyframe()
    }

    /// Makes the source follow the order in this run and in later runs.
    func follow(_ order: EncoderOrder?) {
        let source = state.withLock { state in
            state.order = order
            return state.source
        }
        source?.follow(order)
    }

    var status: SourceStatus? { state.withLock { $0.status } }

    var input: NetworkInput? { state.withLock { $0.source != nil } ? received() : nil }

    var endsForGood: Bool { state.withLock { $0.source?.endsForGood ?? $0.endedForGood } }
}
