import Media
import TLS
import TestSupport

/// A client's end of TLS over a blocking connection; it believes every certificate.
final class TLSStream: ByteStream {
    struct Failure: Error {
        let phase: TLSConnection.Phase
    }

    /// What is sent here goes out as it is, beside TLS.
    let socket: LoopbackSocket
    private let tls: TLSConnection

    /// Has its handshake.
    init(over socket: LoopbackSocket) throws {
        self.socket = socket
        tls = try TLSConnection(to: UnverifiedTLSClient(), at: .now())
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

    /// As much as the peer takes; the rest is lost, and the stream of no use any more.
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
            // Records may say nothing, or that nothing follows.
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
