import Delivery
import Media
import Reactor

/// The socket of a connection that is over, and what is counted for it.
struct FormerConnection {
    let token: Token
    let output: TCPOutput
    let peer: SocketAddress
    /// Whether it still counts as an unfinished TLS handshake, because it holds the memory of one.
    let isHandshakeCounted: Bool

    init(_ connection: Connection) {
        token = connection.token
        output = connection.output
        peer = connection.peer
        isHandshakeCounted = connection.state.isHandshakeCounted
    }
}

/// Connections that are over, each kept open so that the client can read the last response. Confined to the loop.
///
/// If a socket is closed with unread input, the kernel sends a reset, which discards data on its way such as a 400 or a BYE.
/// Therefore only our direction is shut down at first, and further input is read and discarded for a short time.
final class LingeringConnections {
    private struct Lingering {
        let connection: FormerConnection
        /// How many more bytes are read.
        var byteBudget = 65_536
    }

    /// The maximum time in nanoseconds: more than two round trips to the other side of the world.
    private static let timeout: Int64 = 1_000_000_000

    private let place: LoopPlace
    private var lingering: [Token: Lingering] = [:]

    init(_ place: LoopPlace) {
        self.place = place
    }

    /// Shuts down our direction. All pending output has been written, and the socket is watched for reading.
    func add(_ connection: FormerConnection, at now: MonotonicTime) {
        connection.output.socket.endWriting()
        lingering[connection.token] = Lingering(connection: connection)
        place.setDeadline(of: connection.token, to: now + Self.timeout)
    }

    /// Discards the input of a connection; returns the connection if there is nothing left to wait for. It must be closed.
    func discardInput(of token: Token) -> FormerConnection? {
        guard var current = lingering[token] else { return nil }
        while current.byteBudget > 0 {
            switch current.connection.output.socket.discard(current.byteBudget) {
            case .bytes(let count): current.byteBudget -= count
            case .wouldBlock:
                lingering[token] = current
                return nil
            case .end, .failed: return remove(token)
            }
        }
        return remove(token)
    }

    /// Removes a connection and returns it, so that the caller closes its socket.
    func remove(_ token: Token) -> FormerConnection? {
        guard let removed = lingering.removeValue(forKey: token) else { return nil }
        place.setDeadline(of: token, to: nil)
        return removed.connection
    }
}
