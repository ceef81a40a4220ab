import Delivery
import Serving
import Streams

/// What the WebRTC server shares with the servers of other protocols. Thread-safe; nothing blocks.
public protocol WebRTCSharedServices: SharedServices {
    /// The stream that is offered at a path; `nil` if there is none.
    func path(at path: String) -> OfferedPath?
    /// The path most like `path`, to help with typing errors.
    func nearestPath(to path: String) -> String?
    /// Creates a path that a publisher names and that does not exist, if publishers may create it.
    ///
    /// - Parameter then: is called on another thread with the reason why it could not be created; with `nil` if it was.
    /// - Returns: false if publishers may not create paths of this name; then the closure is not called.
    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool
}

/// A stream with what clients of WebRTC need of its path's options.
public struct OfferedPath: Sendable {
    public let stream: Streams.Stream
    public let join: JoinOptions
    /// Where clients publish the stream; `nil` if it has a source of its own.
    public let publishing: PublishingPoint?

    public init(stream: Streams.Stream, join: JoinOptions = JoinOptions(), publishing: PublishingPoint? = nil) {
        (self.stream, self.join, self.publishing) = (stream, join, publishing)
    }
}
