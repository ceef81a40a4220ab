import RTSP
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

    /// Puts a stream on offer at its path, in place of what is there.
    public func insert(_ stream: Stream, options: PathOptions) {
        entries.withLock { $0[stream.path] = Entry(stream: stream, options: options) }
    }

    /// Takes the stream at `path` off. Who watches it goes on, until `Server.withdraw`.
    public func remove(_ path: String) {
        entries.withLock { $0[path] = nil }
    }

    /// How a stream is offered now; `nil` where it is not any more.
    func options(of stream: Stream) -> PathOptions? {
        entries.withLock { $0[stream.path] }.flatMap { $0.stream === stream ? $0.options : nil }
    }

    /// What is at `path`; at `/`, the only stream there is.
    func entry(at path: String) -> Entry? {
        entries.withLock { entries in
            if let entry = entries[path] { return entry }
            return path == "/" && entries.count == 1 ? entries.values.first : nil
        }
    }

    /// What is at `path`, written in any case where nothing is at just this one, among what `grant` gives.
    func entry(atAnyCaseOf path: String, for grant: Grant) -> Entry? {
        // `/` is somebody's to whom all is given.
        if grant.admits(.read, path), let entry = entry(at: path) { return entry }
        let lowercased = path.lowercased()
        return entries.withLock { entries in
            entries.keys.sorted().first { $0.lowercased() == lowercased && grant.admits(.read, $0) }
                .flatMap { entries[$0] }
        }
    }

    /// All paths, ascending.
    var paths: [String] { entries.withLock { $0.keys.sorted() } }

    /// The path most like `path`, for people who mistyped.
    func nearest(to path: String) -> String? { nearestName(to: path, among: paths) }
}
