import Delivery
import RTSP
import Streams
import Synchronization

/// The streams that the server offers, each with its options, by path. Thread-safe.
public final class PathDirectory: Sendable {
    /// A stream and the options of its path.
    public struct Entry: Sendable {
        public let stream: Stream
        public let options: PathOptions
        /// Where clients publish the stream; `nil` if it has a source of its own.
        public let publishing: PublishingPoint?

        public init(stream: Stream, options: PathOptions, publishing: PublishingPoint? = nil) {
            self.stream = stream
            self.options = options
            self.publishing = publishing
        }

        /// The title: that of the configuration, or else of the publisher, or else the name of the path.
        public var title: String { (options.hasDefaultTitle ? publishing?.texts.title : nil) ?? options.title }
        /// More information: that of the configuration, or else of the publisher; `nil` if neither says anything.
        public var information: String? { options.description ?? publishing?.texts.information }
    }

    /// A path that a publisher names, and that does not exist.
    public struct MissingPath: Hashable, Sendable {
        /// With its leading slash.
        public let path: String
        public let publisher: PublishingPoint.Publisher
    }

    /// Creates a missing path, if that is permitted, and then calls the closure with `nil`, or with the reason why not. It does not
    /// block.
    ///
    /// - Returns: false if publishers may not create paths of this name; then the closure is not called.
    public typealias Creator =
        @Sendable (_ missing: MissingPath, _ then: @escaping @Sendable (Refusal?) -> Void) -> Bool

    private let entries = Mutex<[String: Entry]>([:])
    private let creator = Mutex<Creator?>(nil)

    public init() {}

    /// Sets the closure that creates the paths of publishers.
    public func createMissing(by creator: @escaping Creator) {
        self.creator.withLock { $0 = creator }
    }

    func create(_ missing: MissingPath, then: @escaping @Sendable (Refusal?) -> Void) -> Bool {
        creator.withLock(\.self)?(missing, then) ?? false
    }

    /// Offers a stream at its path, in place of the stream that is there.
    public func insert(_ stream: Stream, options: PathOptions, publishing: PublishingPoint? = nil) {
        entries.withLock { $0[stream.path] = Entry(stream: stream, options: options, publishing: publishing) }
    }

    /// Removes the stream at `path`. Its viewers continue until `Server.withdraw`.
    public func remove(_ path: String) {
        entries.withLock { $0[path] = nil }
    }

    /// The stream that is offered at a path; `nil` if there is none.
    public func stream(at path: String) -> Stream? { entries.withLock { $0[path]?.stream } }

    /// The current options of a stream; `nil` if it is no longer offered.
    func options(of stream: Stream) -> PathOptions? {
        entries.withLock { $0[stream.path] }.flatMap { $0.stream === stream ? $0.options : nil }
    }

    /// The stream at `path`; at `/`, the only stream there is.
    func entry(at path: String) -> Entry? {
        entries.withLock { entries in
            if let entry = entries[path] { return entry }
            return path == "/" && entries.count == 1 ? entries.values.first : nil
        }
    }

    /// The substreams of the stream at `path`, in the order of their paths.
    func substreams(of path: String) -> [Entry] {
        entries.withLock { $0.filter { $0.value.options.parent == path }.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The stream at `path`, ignoring case if no path matches exactly, among those that `grant` permits.
    func entry(atAnyCaseOf path: String, for grant: Grant) -> Entry? {
        // `/` is only for grants that permit everything.
        if grant.admits(.read, path), let entry = entry(at: path) { return entry }
        let lowercased = path.lowercased()
        return entries.withLock { entries in
            entries.keys.sorted().first { $0.lowercased() == lowercased && grant.admits(.read, $0) }
                .flatMap { entries[$0] }
        }
    }

    /// All paths, ascending.
    var paths: [String] { entries.withLock { $0.keys.sorted() } }

    /// The path most like `path`, to help with typing errors.
    func nearest(to path: String) -> String? { nearestName(to: path, among: paths) }
}
