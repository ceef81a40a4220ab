import Media
import Synchronization

/// All streams of the server, by path. From any thread.
public final class StreamCatalog: Sendable {
    private let streams = Mutex<[String: Stream]>([:])

    public init() {}

    /// Adds a stream; one that stood at its path before is replaced.
    public func insert(_ stream: Stream) {
        streams.withLock { $0[stream.path] = stream }
    }

    /// The stream at exactly `path`; at `/`, the only one there is.
    public func stream(at path: String) -> Stream? {
        streams.withLock { streams in
            if let stream = streams[path] { return stream }
            let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            if trimmed == "/" || trimmed.isEmpty { return streams.count == 1 ? streams.values.first : nil }
            return streams[trimmed]
        }
    }

    /// All paths, ascending.
    public var paths: [String] { streams.withLock { $0.keys.sorted() } }
}
