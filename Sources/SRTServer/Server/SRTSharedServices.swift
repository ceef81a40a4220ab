import Delivery
import SRT
import Serving
import Streams

/// What the SRT server shares with the servers of other protocols. Wrong passphrases count as wrong passwords. Thread-safe; nothing blocks.
public protocol SRTSharedServices: SharedServices {
    /// The stream that is offered at a path; `nil` if there is none. `/` is the only stream there is.
    func path(at path: String) -> OfferedPath?
    /// The path most like `path`, to help with typing errors.
    func nearestPath(to path: String) -> String?
    /// How clients connect to a path that does not exist and that publishers may create; `nil` if they may not.
    func creatablePath(at path: String) -> SRTConnectionOptions?
    /// Creates such a path for a publisher.
    ///
    /// - Parameter then: is called on another thread with the reason why it could not be created; with `nil` if it was.
    /// - Returns: false if publishers may not create paths of this name; then the closure is not called.
    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool
}

/// A stream with what clients of SRT need of its path's options.
public struct OfferedPath: Sendable {
    public let stream: Streams.Stream
    public let join: JoinOptions
    /// Where clients publish the stream; `nil` if it has a source of its own.
    public let publishing: PublishingPoint?
    public let connection: SRTConnectionOptions

    public init(
        stream: Streams.Stream, join: JoinOptions = JoinOptions(), publishing: PublishingPoint? = nil,
        connection: SRTConnectionOptions = SRTConnectionOptions()
    ) {
        (self.stream, self.join, self.publishing, self.connection) = (stream, join, publishing, connection)
    }
}
