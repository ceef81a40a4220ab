import Media
import TLS
import TestSupport

/// The client's end of TLS over a blocking connection; it verifies no certificate.
final class TLSStream: ByteStream {
    struct Failure: Error {
        let phase: TLSConnection.Phase
    }

    /// The underlying stream, for sending bytes without TLS.
    let socket: LoopbackSocket
    private let tls: TLSConnection

    /// Completes the handshake.
    init(over socket: LoopbackSocket) throws {
        self.socket = socket
        tls = try TLSConnection(to: TLSClient(), at: .now())
        flush()
        while tls.phase == .handshake, let bytes = socket.receive(within: 5), !bytes.isEmpty {
            bytes.withUnsafeBytes { tls.received($0) { _ in } }
            flush()
        }
        guard tls.phase == .established else { throw Failure(phase: tls.phase) }
    }

    func send(_ bytes: [UInt8]) {
        tls.write(bytes)
        flush()
    }

    /// Sends as much as the peer accepts. The rest is lost, and the stream cannot be used any more.
    func offer(_ bytes: [UInt8], patience seconds: Double) -> Int {
        tls.write(bytes)
        let records = Array(tls.output)
        tls.sent(records.count)
        return socket.offer(records, patience: seconds)
    }

    func receive(within seconds: Double) -> [UInt8]? {
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
