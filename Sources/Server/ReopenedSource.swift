import Streams
import Synchronization

/// A source that is made anew for every run: what stands behind a path in the file system, and whether an encoder
/// can be opened, may have changed since it failed.
final class ReopenedSource: Source {
    let label: String

    private let open: @Sendable () throws(SourceFailure) -> any Source
    private let current = Mutex<(any Source)?>(nil)

    init(label: String, open: @escaping @Sendable () throws(SourceFailure) -> any Source) {
        self.label = label
        self.open = open
    }

    func run(into stream: Stream) throws(SourceFailure) {
        let source = try open()
        current.withLock { $0 = source }
        defer { current.withLock { $0 = nil } }
        try source.run(into: stream)
    }

    func stop() {
        current.withLock { $0 }?.stop()
    }

    func requestRandomAccess() {
        current.withLock { $0 }?.requestRandomAccess()
    }
}
