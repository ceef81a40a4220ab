import Serving

/// A viewer that also counts against the limit of its connection: one connection of HTTP/2 must not use up the viewers of all. Confined
/// to the event loop.
final class ConnectionViewer {
    private let viewer: CountedViewer
    private let connection: ConnectionFacts

    /// `nil` if there are too many viewers, or too many on this connection.
    init?(by services: any SharedServices, on connection: ConnectionFacts, maximumCount: Int) {
        guard connection.viewerCount < maximumCount, let viewer = CountedViewer(by: services) else { return nil }
        (self.viewer, self.connection) = (viewer, connection)
        connection.viewerCount += 1
    }

    deinit { connection.viewerCount -= 1 }
}
