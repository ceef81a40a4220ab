import MP4
import Media

/// The body of a response that is an MP4 file without end: one init segment, and a fragment per frame. Confined to the event loop.
///
/// Parameter sets are in band, so a file goes on after a change of the stream as long as its tracks keep their codecs.
final class EndlessFile: LiveBody {
    let connection: LiveConnection
    private unowned let handler: RequestHandler
    private var hasBegun = false
    /// `nil` for a client that reads the file as it comes.
    private var padding: BlockPadding?

    /// - Parameter readsBlocks: whether the client reads the file in blocks, as Chromium does.
    init(_ connection: LiveConnection, of handler: RequestHandler, readsBlocks: Bool) {
        (self.connection, self.handler) = (connection, handler)
        padding = readsBlocks ? BlockPadding() : nil
    }

    func begin(_ initSegment: InitSegment, after former: InitSegment?) -> Bool {
        if let former { return initSegment.continues(former) }
        hasBegun = true
        handler.beginBody(as: initSegment.contentType)
        connection.write(initSegment.bytes)
        connection.flush()
        return true
    }

    func caughtUp(at now: MonotonicTime) {
        guard padding != nil, connection.isWritable,
            let byteCount = padding?.padding(at: connection.byteCount, now)
        else { return }
        connection.writeFreeBox(byteCount)
    }

    /// A file cannot say so.
    func dropped(_ frameCount: Int) {}

    func end(_ reason: LiveEnd) {
        guard hasBegun else { return handler.refuseBody(reason.problem) }
        // A client that takes nothing would not take the end either.
        if reason == .stalled || reason == .clientLeft { return handler.abortBody() }
        let isComplete = connection.end()
        handler.endBody(keepsConnection: isComplete && reason == .complete)
    }
}
