import Media
import RTP
import Reactor
import Streams
import TLS
import Testing

@testable import Delivery

/// What holds over TCP holds inside TLS (`TCPDeliveryTests` tests both), and at most one record waits.
@Suite(.serialized)
struct TLSDeliveryTests {
    /// The server's and the client's end of a connection, after their handshake.
    static func ends() throws -> (server: TLSConnection, client: TLSConnection) {
        let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
        let identity = try ServerIdentity(certificates: own.certificate, key: own.key)
        let server = try TLSConnection(of: identity, at: .now())
        let client = try TLSConnection(to: TLSClient(), at: .now())
        while !client.output.isEmpty || !server.output.isEmpty {
            for (sender, receiver) in [(client, server), (server, client)] {
                let bytes = Array(sender.output)
                sender.sent(bytes.count)
                bytes.withUnsafeBytes { receiver.received($0) { _ in } }
            }
        }
        try #require(server.phase == .established && client.phase == .established)
        return (server, client)
    }

    /// Decrypts the bytes on the wire.
    static func clear(_ bytes: [UInt8], by client: TLSConnection) -> [UInt8] {
        var clear: [UInt8] = []
        bytes.withUnsafeBytes { client.received($0) { clear.append(contentsOf: $0) } }
        #expect(client.failure == nil)
        return clear
    }

    @Test func aViewerThatFallsBehindResumesAtAKeyframeAndCostsOneRecord() throws {
        let broadcast = Broadcast()
        let ends = try Self.ends()
        let client = try TCPClient(tls: ends.server)
        broadcast.publish(idr: true, byteCount: 20_000)
        #expect(broadcast.start(client.viewer))
        // Eight seconds: less than the limit that ends a session.
        for index in 1...200 {
            broadcast.publish(idr: index % 50 == 0, byteCount: 20_000)
            broadcast.turn(after: 40)
            #expect(client.output.pendingByteCount <= TLSConnection.recordByteCount + 64)
        }
        let bytes = client.catchUp(with: broadcast)
        #expect(client.viewer.droppedUnits > 100)
        let contents = try #require(TCPDeliveryTests.Contents(Self.clear(bytes, by: ends.client), reply: []))
        var timestamps: [UInt32] = []
        for (index, packet) in contents.packets.enumerated() {
            #expect(packet.header.sequenceNumber == SequenceNumber(65_530).advanced(by: index))
            if timestamps.last != packet.header.timestamp { timestamps.append(packet.header.timestamp) }
        }
        let frames = timestamps.map { Int64($0 &- 77) / 3_600 }
        for (previous, next) in zip(frames, frames.dropFirst()) where next != previous + 1 {
            #expect(next % 50 == 0 || next == 210)
        }
        #expect(frames.last == 220)
    }

    @Test func aViewerWithAFailedTLSConnectionDelaysNoOther() throws {
        let broadcast = Broadcast()
        let ends = try Self.ends()
        let client = try TCPClient(tls: ends.server)
        broadcast.publish(idr: true, byteCount: 20_000)
        #expect(broadcast.start(client.viewer))
        // An application record that was not encrypted.
        [UInt8]([23, 3, 3, 0, 32] + [UInt8](repeating: 0, count: 32)).withUnsafeBytes {
            ends.server.received($0) { _ in }
        }
        #expect(ends.server.failure != nil)
        var changes = 0
        client.output.onChange = { changes += 1 }
        _ = client.readAll()
        client.output.flush(at: broadcast.now)
        broadcast.publish(byteCount: 200_000)
        broadcast.turn(after: 40)
        #expect(changes > 0 && client.viewer.droppedUnits == 0)
    }
}
