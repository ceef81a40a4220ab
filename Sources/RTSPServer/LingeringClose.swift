import Delivery
import Reactor

/// A connection that is over, but whose last words the client shall read.
///
/// Closed with input unread, the kernel answers with a reset, which takes with it what is still on its way: a 400, a
/// BYE. So only our direction ends at first, and what the client still sends is read and let go of, for a short while.
struct LingeringClose {
    /// How long, in nanoseconds: two round trips to the other side of the world, and then some.
    static let patience: Int64 = 1_000_000_000

    let output: TCPOutput
    let peer: SocketAddress
    /// Whether it counts as an unfinished TLS handshake, whose memory it still holds.
    let isHandshakeCounted: Bool
    /// How much more is read.
    private var byteBudget = 65_536

    /// Ends our direction; all that waited has been written.
    init(_ connection: Connection) {
        output = connection.output
        peer = connection.peer
        isHandshakeCounted = connection.isHandshakeCounted
        output.socket.endWriting()
    }

    /// Lets go of what has come; false where there is nothing left to wait for.
    mutating func discardInput() -> Bool {
        while byteBudget > 0 {
            switch output.socket.discard(byteBudget) {
            case .bytes(let count): byteBudget -= count
            case .wouldBlock: return true
            case .end, .failed: return false
            }
        }
        return false
    }
}
