import Streams
import Synchronization

/// The streams on offer, each with its options, by path. From any thread.
public final class PathDirectory: Sendable {
    /// A stream and how its path is configured.
    public struct Entry: Sendable {
        public let stream: Stream
        public let options: PathOptions

        public init(stream: Stream, options: PathOptions) {
            self.stream = stream
            self.options = options
        }
    }

    private let entries = Mutex<[String: Entry]>([:])

    public init() {}

    /// Puts a stream on offer at its path.
    public func insert(_ stream: Stream, options: PathOptions) {
        entries.withLock { $0[stream.path] = Entry(stream: stream, options: options) }
    }

    /// What is at `path`; at `/`, the only stream there is.
    func entry(at path: String) -> Entry? {
        entries.withLock { entries in
            if let entry = entries[path] { return entry }
            return path == "/" && entries.count == 1 ? entries.values.first : nil
        }
    }

    /// All paths, ascending.
    var paths: [String] { entries.withLock { $0.keys.sorted() } }

    /// The path most like `path`, for people who mistyped.
    func nearest(to path: String) -> String? { nearestName(to: path, among: paths) }
}
