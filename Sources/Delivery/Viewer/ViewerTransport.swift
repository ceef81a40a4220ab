import Media
import Streams

/// The transport of one viewer, as its follower sees it. Datagrams that were sent are forgotten: only a connection knows what its
/// client has not read.
struct ViewerTransport: FollowerTransport {
    /// The connection; `nil` on UDP.
    let output: TCPOutput?
    /// Whether bytes that the client has not read count as lag.
    let countsUnread: Bool

    var lastProgress: MonotonicTime? { output?.lastProgress }

    func unreadByteCount(at now: MonotonicTime) -> Int {
        countsUnread ? output?.unreadByteCount(at: now) ?? 0 : 0
    }

    func isDrained(at now: MonotonicTime) -> Bool { output?.isDrained(at: now) ?? true }
}
