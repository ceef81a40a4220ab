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
        /// What the encoders of earlier runs have done.
        var past: SourceStatus?

        var status: SourceStatus? {
            guard let past, let present = source?.status else { return past ?? source?.status }
            return past + present
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
        let path = state.withLock { $0.path }
        let source = try open(path)
        state.withLock { state in
            state.source = source
            // Something else may have been wanted while it was opened.
            if state.path != path { _ = Server.change(source, to: state.path) }
        }
        defer {
            state.withLock {
                $0.past = $0.status
                $0.source = nil
            }
        }
        try source.run(into: stream)
    }

    /// Goes on with these settings, in this run and in the next.
    ///
    /// - Returns: false where the present source has nothing that they could change.
    func change(to path: Configuration.Path) -> Bool {
        state.withLock { state in
            state.path = path
            return state.source.map { Server.change($0, to: path) } ?? true
        }
    }

    func stop() {
        state.withLock { $0.source }?.stop()
    }

    func requestRandomAccess() {
        state.withLock { $0.source }?.requestRandomAccess()
    }

    var status: SourceStatus? { state.withLock { $0.status } }
}
