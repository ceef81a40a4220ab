import Streams
import Synchronization

/// A source that is made anew for every run: what stands behind a path in the file system, and whether an encoder
/// can be opened, may have changed since it failed. What was wanted last holds for the next, too.
final class ReopenedSource: Source {
    let label: String

    private struct State {
        /// As wanted last.
        var path: Configuration.Path
        var source: (any Source)?
        /// Told to end, perhaps before there was a source to tell. Holds until the end of the run.
        var isStopWanted = false
        /// What the encoders of earlier runs have done.
        var past: SourceStatus?
        /// Whether the end of the last run's input was final.
        var endedForGood = false

        var status: SourceStatus? {
            guard let past, let present = source?.status else { return past ?? source?.status }
            return past + present
        }

        /// - Returns: whether `source`, made with the settings of `made`, is to run.
        mutating func begin(_ source: any Source, with made: Configuration.Path) -> Bool {
            guard !isStopWanted else { return false }
            self.source = source
            // Something else may have been wanted while it was opened.
            if path != made { Server.change(source, to: path) }
            return true
        }

        mutating func end() {
            past = status
            endedForGood = source?.endsForGood ?? false
            source = nil
            isStopWanted = false
        }
    }

    private let open: @Sendable (Configuration.Path) throws(SourceFailure) -> any Source
    private let state: Mutex<State>

    /// - Parameter open: makes the source of one run, with the settings that hold then.
    init(
        label: String, path: Configuration.Path,
        open: @escaping @Sendable (Configuration.Path) throws(SourceFailure) -> any Source
    ) {
        self.label = label
        self.open = open
        state = Mutex(State(path: path))
    }

    func run(into stream: Stream) throws(SourceFailure) {
        defer { state.withLock { $0.end() } }
        let path = state.withLock { $0.path }
        let source = try open(path)
        guard state.withLock({ $0.begin(source, with: path) }) else { return }
        try source.run(into: stream)
    }

    /// Goes on with these settings, in this run and in the next.
    func change(to path: Configuration.Path) -> ReconfigurationResult {
        state.withLock { state in
            state.path = path
            return state.source.map { Server.change($0, to: path) } ?? .appliedAtNextStart
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

    var status: SourceStatus? { state.withLock { $0.status } }

    var endsForGood: Bool { state.withLock { $0.source?.endsForGood ?? $0.endedForGood } }
}
