import Delivery
import Media
import RTSP
import RTSPServer
import TLS
import TestSupport
import Testing

/// Clients with TLS on the real server.
@Suite(.serialized)
struct TLSTests {
    private static func identity() throws -> ServerIdentity {
        let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
        return try ServerIdentity(certificates: own.certificate, key: own.key)
    }

    /// Runs `body` with a server that has a plain and a TLS port.
    private func withServer(
        handshakeSeconds: Int = 10, _ body: (Broadcast, _ port: Int) async throws -> Void
    ) async throws {
        var tls = TLSOptions(port: 0, identity: try Self.identity())
        tls.handshake.seconds = handshakeSeconds
        try await Broadcast.run({ $0.encryption = .optional(tls) }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            try await body(broadcast, Int(try #require(broadcast.server.port(for: .tls))))
        }
    }

    private func play(_ broadcast: Broadcast, on client: TLSSocket) throws {
        let url = broadcast.url.replacing("rtsp:", with: "rtsps:")
        let description = try client.request(.describe, url)
        #expect(description.headers[.contentBase] == "\(url)/")
        let refused = try client.request(
            .setUp, "\(url)/track1", [.transport: "RTP/AVP;unicast;client_port=5000-5001"])
        #expect(refused.status == .unsupportedTransport)
        let setUp = try client.request(.setUp, "\(url)/track1", [.transport: "RTP/AVP/TCP;unicast;interleaved=0-1"])
        let session = try #require(setUp.headers[.session]?.split(separator: ";").first)
        #expect(try client.request(.play, url, [.session: String(session)]).status == .ok)
    }

    @Test func aWholeSessionStaysInsideTLSAndEndsWithCloseNotify() async throws {
        try await withServer { broadcast, port in
            let client = try TLSSocket(port: port)
            try play(broadcast, on: client)
            for _ in 0..<20 {
                broadcast.publish()
                var isHeard = false
                while !isHeard, let element = try client.element(within: 5) {
                    if case .interleaved(channel: 0, _) = element { isHeard = true }
                }
                #expect(isHeard)
            }
            await broadcast.server.withdraw(broadcast.stream)
            var last: Parser.Element?
            while let element = try client.element(within: 5) { last = element }
            #expect(client.isClosed && client.tls.phase == .ended, "close_notify comes before the end")
            guard case .interleaved(channel: 1, let goodbye)? = last else { throw TLSSocket.Failure(what: "no BYE") }
            #expect(goodbye.dropFirst().first == 201)
        }
    }

    @Test func aNewIdentityIsUsedForNewConnections() async throws {
        try await withServer { broadcast, port in
            let early = try TLSSocket(port: port)
            try play(broadcast, on: early)
            broadcast.server.identify(by: try Self.identity())
            let late = try TLSSocket(port: port)
            try play(broadcast, on: late)
            #expect(try early.request(.options, "*").status == .ok)
        }
    }

    @Test func clientsThatSendNoTLSOrNothingAreDisconnected() async throws {
        try await withServer(handshakeSeconds: 1) { broadcast, port in
            let plain = try RTSPSocket(port: port)
            plain.send("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n")
            let silent = try LoopbackSocket(port: port)
            #expect(plain.response(within: 20) == nil && plain.isClosed)
            #expect(silent.receive(within: 5)?.isEmpty == true)
            #expect(try RTSPSocket(port: broadcast.port).request("OPTIONS", "*").status == 200)
            #expect(try TLSSocket(port: port).request(.options, "*").status == .ok)
        }
    }

    @Test func strictEncryptionListensForTLSOnly() async throws {
        let options = TLSOptions(port: 0, identity: try Self.identity())
        try await Broadcast.run({ $0.encryption = .strict(options) }) { broadcast in
            #expect(broadcast.server.port(for: .clear) == nil)
            let client = try TLSSocket(port: broadcast.port)
            #expect(try client.request(.options, "*").status == .ok)
        }
    }
}
