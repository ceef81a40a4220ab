import Delivery
import Media

/// A viewer that plays, and how well it keeps up.
public struct ViewerStatus: Hashable, Sendable {
    /// The path of the stream: `/cam`.
    public let path: String
    /// The client's address and port of its RTSP connection.
    public let peer: String
    /// The client's `User-Agent` as sent; `nil` if it sent none.
    public let client: String?
    /// `UDP`, `TCP`, `multicast`, or `MPEG-TS over` one of them.
    public let transport: String
    /// When PLAY was answered.
    public let startedAt: MonotonicTime
    public let backlog: Backlog
}

extension Server {
    /// All viewers that play.
    public func viewers(at now: MonotonicTime) async -> [ViewerStatus] {
        var all: [ViewerStatus] = []
        for loop in loops { all += await loop.viewers(at: now) }
        return all
    }
}

extension ServerLoop {
    fileprivate func viewers(at now: MonotonicTime) -> [ViewerStatus] {
        connections.values.flatMap { connection in
            connection.sessions.values.compactMap { session in
                session.startedAt.map { start in
                    ViewerStatus(
                        path: session.entry.stream.path, peer: "\(connection.peer)", client: connection.userAgent,
                        transport: session.transportName, startedAt: start,
                        backlog: delivery.backlog(of: session.viewer, at: now))
                }
            }
        }
    }
}
