import MP4
import NIOCore

/// The body of a response that is an MP4 file without end: one init segment, and a fragment per frame. Confined to the event loop.
///
/// Parameter sets are in band, so a file goes on after a change of the stream as long as its tracks keep their codecs.
final class EndlessFile: LiveBody {
    let connection: LiveConnection
    private unowned let handler: RequestHandler
    private var hasBegun = false

    init(_ connection: LiveConnection, of handler: RequestHandler) {
        (self.connection, self.handler) = (connection, handler)
    }

    func begin(_ initSegment: InitSegment, after former: InitSegment?) -> Bool {
        if let former { return initSegment.continues(former) }
        hasBegun = true
        handler.beginBody(as: initSegment.contentType)
        connection.write(initSegment.bytes)
        connection.flush()
        return true
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
