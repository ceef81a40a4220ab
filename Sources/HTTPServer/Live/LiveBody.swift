import MP4
import Media

/// What a live viewer's media are sent as: an endless file, or messages of a WebSocket. Confined to the event loop.
protocol LiveBody: AnyObject {
    /// Where the media are written.
    var connection: LiveConnection { get }

    /// Sends an init segment, which the next fragments need, unless the client can do without it.
    ///
    /// - Parameter former: the one that the client got last.
    /// - Returns: false if the client cannot continue. Then the viewer is ended.
    func begin(_ initSegment: InitSegment, after former: InitSegment?) -> Bool

    /// Frames were left out because the client was too slow. The next fragment is a keyframe.
    func dropped(_ frameCount: Int)

    /// Everything that the stream has now was sent.
    func caughtUp(at now: MonotonicTime)

    /// Ends the body. The viewer has been removed.
    func end(_ reason: LiveEnd)
}
