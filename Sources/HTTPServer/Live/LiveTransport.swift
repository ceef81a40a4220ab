import Media
import Streams

/// The connection of one live viewer, as its follower sees it. Confined to the event loop.
struct LiveTransport: FollowerTransport {
    let connection: LiveConnection
    /// Whether bytes that wait in the channel count as lag.
    let countsUnread: Bool

    var lastProgress: MonotonicTime? { connection.lastProgress }

    func unreadByteCount(at now: MonotonicTime) -> Int {
        let byteCount = connection.waitingByteCount(at: now)
        return countsUnread ? byteCount : 0
    }

    func isDrained(at now: MonotonicTime) -> Bool { connection.waitingByteCount(at: now) == 0 }
}
