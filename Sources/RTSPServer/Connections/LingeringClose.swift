import Delivery
import Reactor

/// A connection that is over, kept open so that the client can read the last response.
///
/// If a socket is closed with unread input, the kernel sends a reset, which discards data on its way such as a 400 or a BYE.
/// Therefore only our direction is shut down at first, and further input is read and discarded for a short time.
struct LingeringClose {
    /// The maximum time in nanoseconds: more than two round trips to the other side of the world.
    static let timeout: Int64 = 1_000_000_000

    let output: TCPOutput
    let peer: SocketAddress
    /// Whether it still counts as an unfinished TLS handshake, because it holds the memory of one.
    let isHandshakeCounted: Bool
    /// How many more bytes are read.
    private var byteBudget = 65_536

    /// Shuts down our direction. All pending output has been written.
    init(_ connection: Connection) {
        output = connection.output
        peer = connection.peer
        isHandshakeCounted = connection.isHandshakeCounted
        output.socket.endWriting()
    }

    /// Discards the input; false if there is nothing left to wait for.
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
