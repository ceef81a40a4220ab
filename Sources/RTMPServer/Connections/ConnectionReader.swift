import Delivery
import Media
import Reactor

/// Reads from connections and passes the bytes to their state machines. Confined to the loop.
final class ConnectionReader {
    /// What is read, of one connection at a time: most of a frame.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
    private let maximumPendingByteCount: Int
    /// The time for reading one connection in a turn, in nanoseconds.
    private static let readBudget: Int64 = 500_000

    init(maximumPendingByteCount: Int) {
        self.maximumPendingByteCount = maximumPendingByteCount
    }

    deinit {
        buffer.deallocate()
    }

    /// Passes received bytes to the connection's state machine.
    ///
    /// - Parameter drain: performs what the state machine orders.
    /// - Throws: if the socket has failed.
    func read(_ connection: Connection, _ drain: () -> Void) throws(SystemError) {
        let end = MonotonicTime.now() + Self.readBudget
        while connection.wantsBytes(maximumPendingByteCount: maximumPendingByteCount) {
            switch connection.output.socket.read(into: buffer) {
            case .bytes(let count):
                received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), on: connection)
                drain()
                // ffmpeg and VLC use Nagle's algorithm: their kernel sends a command only after the acknowledgement of the one before. Our
                // kernel delays acknowledgements of commands by 40 ms, but not those of a publisher's media.
                if connection.publisher == nil { connection.output.socket.acknowledgeNow() }
                // If the read was not full, the socket is empty. What has come since is reported again.
                guard count == buffer.count, MonotonicTime.now() < end else { return }
            case .wouldBlock: return
            case .end:
                connection.hasPeerEnded = true
                return
            case .failed(let error): throw error
            }
        }
    }

    /// Passes received bytes to the state machine, decrypted if necessary.
    private func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        guard let tls = connection.output.tls else { return connection.session.received(bytes.bytes) }
        tls.received(bytes) { connection.session.received($0.bytes) }
        if tls.phase == .ended { connection.hasPeerEnded = true }
    }
}
