import Media
import Synchronization

/// The paths to which video tracks beside the main one go, by the path of the publisher and the track's number. Thread-safe.
public final class TrackDirectory: Sendable {
    /// A track of what is published to a path.
    public struct Key: Hashable, Sendable {
        /// With its slash: `/yard`.
        public let path: String
        public let number: TrackNumber

        public init(path: String, number: TrackNumber) {
            (self.path, self.number) = (path, number)
        }
    }

    private let points = Mutex<[Key: PublishingPoint]>([:])

    public init() {}

    /// Lets this track go to a point, and no longer to another one.
    public func insert(_ point: PublishingPoint, at key: Key) {
        points.withLock { $0[key] = point }
    }

    /// Lets this track no longer go to a point. Without effect if it goes to another one.
    public func remove(_ point: PublishingPoint, at key: Key) {
        points.withLock { if $0[key] === point { $0[key] = nil } }
    }

    func point(at key: Key) -> PublishingPoint? { points.withLock { $0[key] } }
}
