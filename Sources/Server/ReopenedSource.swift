import Streams
import Synchronization

/// A source that is made anew for every run: what stands behind a path in the file system, and whether an encoder
/// can be opened, may have changed since it failed.
final class ReopenedSource: Source {
    let label: String

    private struct State {
        var source: (any Source)?
        /// What the encoders of earlier runs have done.
        var past: SourceStatus?

        var status: SourceStatus? {
            guard let past, let present = source?.status else { return past ?? source?.status }
            return past + present
        }
    }

    private let open: @Sendable () throws(SourceFailure) -> any Source
    private let state = Mutex(State())

    init(label: String, open: @escaping @Sendable () throws(SourceFailure) -> any Source) {
        self.label = label
        self.open = open
    }

    func run(into stream: Stream) throws(SourceFailure) {
        let source = try open()
        state.withLock { $0.source = source }
        defer { state.withLock { $0 = State(source: nil, past: $0.status) } }
        try source.run(into: stream)
    }

    func stop() {
        state.withLock { $0.source }?.stop()
    }

    func requestRandomAccess() {
        state.withLock { $0.source }?.requestRandomAccess()
    }

    var status: SourceStatus? { state.withLock { $0.status } }
}
