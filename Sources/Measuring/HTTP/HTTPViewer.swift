import NIOCore
import NIOHTTP1

/// One viewer over HTTP: decides what is requested, and reads the responses. Confined to the event loop.
///
/// Its ``ViewerConnection`` calls the functions.
protocol HTTPViewer: AnyObject {
    var record: ViewerRecord { get }

    /// The connection is established, and takes the first request.
    func connected(_ connection: ViewerConnection)

    /// A response has begun.
    func received(_ head: HTTPResponseHead)

    /// A piece of the response's body has come.
    func received(_ bytes: ByteBuffer)

    /// The response is complete, and the connection takes the next request.
    func receivedEnd()

    /// Ends the viewer for this reason, if it has not ended, and closes its connection.
    func end(_ reason: HTTPEnd)
}
