import Media
import TLS

/// The client's end of TLS over a blocking connection; it verifies no certificate.
public final class TLSStream: ByteStream {
    public struct Failure: Error {
        public let phase: TLSConnection.Phase
    }

    /// The underlying stream, for sending bytes without TLS.
    public let socket: LoopbackSocket
    private let tls: TLSConnection

    /// Completes the handshake.
    ///
    /// - Parameter protocols: the application protocols to offer.
    public init(over socket: LoopbackSocket, offering protocols: [String] = []) throws {
        self.socket = socket
        // The deadline of the handshake is not used.
        tls = try TLSConnection(to: TLSClient(), offering: protocols, at: MonotonicTime(nanoseconds: 0))
        flush()
        while tls.phase == .handshake, let bytes = socket.receive(within: 5), !bytes.isEmpty {
            bytes.withUnsafeBytes { tls.received($0) { _ in } }
            flush()
        }
        guard tls.phase == .established else { throw Failure(phase: tls.phase) }
    }

    /// The application protocol that was negotiated.
    public var applicationProtocol: String? { tls.applicationProtocol }

    public func send(_ bytes: [UInt8]) {
        tls.write(bytes)
        flush()
    }

    /// Sends as much as the peer accepts. The rest is lost, and the stream cannot be used any more.
    public func offer(_ bytes: [UInt8], patience seconds: Double) -> Int {
        tls.write(bytes)
        let records = Array(tls.output)
        tls.sent(records.count)
        return socket.offer(records, patience: seconds)
    }

    public func receive(within seconds: Double) -> [UInt8]? {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var said: [UInt8] = []
        repeat {
            let left = (deadline - ContinuousClock.now) / .seconds(1)
            guard let bytes = socket.receive(within: max(0, left)) else { return nil }
            guard !bytes.isEmpty else { return [] }
            bytes.withUnsafeBytes { tls.received($0) { said += $0 } }
            flush()
            // A record may contain no data, or the peer's close_notify.
            if said.isEmpty, tls.phase != .established { return [] }
        } while said.isEmpty
        return said
    }

    private func flush() {
        let bytes = Array(tls.output)
        tls.sent(bytes.count)
        if !bytes.isEmpty { socket.send(bytes) }
    }
}
