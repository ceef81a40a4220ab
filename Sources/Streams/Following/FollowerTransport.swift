import Media

/// What a follower asks of the transport that its outputs are sent over.
public protocol FollowerTransport {
    /// When it last took something; `nil` if it does not know more than the follower.
    var lastProgress: MonotonicTime? { get }

    /// An estimate of the bytes that it has taken and that the peer has not read.
    func unreadByteCount(at now: MonotonicTime) -> Int

    /// Whether the peer has read what it was sent, so that the next output would be used soon.
    func isDrained(at now: MonotonicTime) -> Bool
}
