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

    /// The path most like `path`, for people who mistyped: at most a third of it may differ.
    func nearest(to path: String) -> String? {
        let candidates = paths.map { ($0, Self.distance($0.lowercased(), path.lowercased())) }
        guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= max(1, path.count / 3) else { return nil }
        return best.0
    }

    /// Edits that turn one text into the other (Levenshtein); texts are cut at 64 characters.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.prefix(64)), Array(other.prefix(64)))
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let substituted = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
