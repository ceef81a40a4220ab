import Media
import RTP
import RTSP
import RTSPServer
import Reactor
import SDP
import SRTP
import TLS
import TestSupport
import Testing
import Wire

/// Clients with TLS connections and SRTP over UDP, on the real server.
@Suite(.serialized)
struct SRTPTests {
    private struct Failure: Error {}

    private func withServer(
        srtp: CipherSuite?, _ body: (Broadcast, TLSSocket) async throws -> Void
    ) async throws {
        let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
        var tls = TLSOptions(port: 0, identity: try ServerIdentity(certificates: own.certificate, key: own.key))
        tls.srtp = srtp
        try await Broadcast.run({ $0.encryption = .strict(tls) }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            try await body(broadcast, try TLSSocket(port: broadcast.port))
        }
    }

    private static let url = "rtsps://127.0.0.1/cam"

    /// The MIKEY message of the first track in the session description; `nil` if there is none.
    private func keyMessage(_ client: TLSSocket, as userAgent: String = "GStreamer/1.22.0") throws -> MIKEYMessage? {
        let description = try client.request(.describe, Self.url, [.userAgent: userAgent])
        let text = String(decoding: description.body, as: UTF8.self)
        let medium = userAgent.hasPrefix("GStreamer") ? "m=video 0 RTP/SAVPF 96 112\r\n" : "m=video 0 RTP/SAVP 96\r\n"
        #expect(text.contains(medium) == text.contains("a=key-mgmt:"))
        guard let line = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("a=key-mgmt:mikey ") })
        else { return nil }
        return try MIKEYMessage(parsing: try #require(Base64.decode(line.dropFirst("a=key-mgmt:mikey ".count))))
    }

    private func setUp(
        _ client: TLSSocket, _ ports: borrowing Reactor.RTPSocketPair, key: MasterKey? = nil
    ) throws -> Response {
        var headers: Headers = [.transport: "RTP/SAVP;unicast;client_port=\(ports.port)-\(ports.port + 1)"]
        if let key {
            let message = MIKEYMessage(key, ssrc: 9, bundle: 1, timestamp: 2, random: [3])
            headers["KeyMgmt"] = "prot=mikey;uri=\"\(Self.url)\";data=\"\(Base64.encode(message.bytes))\""
        }
        return try client.request(.setUp, "\(Self.url)/track1", headers)
    }

    /// The first datagram at a socket.
    private func datagram(at socket: borrowing UDPSocket) async -> [UInt8]? {
        var datagrams = ReceivedDatagrams()
        var bytes: [UInt8]?
        for _ in 0..<500 where bytes == nil {
            if case .bytes = datagrams.receive(from: socket) { bytes = datagrams[0].map { Array($0.bytes) } }
            if bytes == nil { _ = await eventually(within: 0.01) { false } }
        }
        return bytes
    }

    @Test(arguments: CipherSuite.allCases)
    func packetsAndReportsAreEncryptedInBothDirections(suite: CipherSuite) async throws {
        try await withServer(srtp: suite) { broadcast, client in
            let message = try #require(try keyMessage(client))
            let key = try message.masterKey()
            #expect(key.suite == suite && key.identifier.isEmpty)
            let ports = try Reactor.RTPSocketPair.bind(evenIn: 41_000...44_000)
            let own = try #require(MasterKey(.counterMode, material: (0..<30).map { UInt8($0) }))
            let answer = try setUp(client, ports, key: own)
            let transport = try #require(answer.headers[.transport].flatMap { Transport.list($0).first })
            #expect(transport.profile == "RTP/SAVP" && transport.ssrc == message.cryptoSessions[0].ssrc)
            let session = try #require(answer.headers[.session]?.split(separator: ";").first.map(String.init))
            #expect(try client.request(.play, Self.url, [.session: session]).status == .ok)

            let report = try #require(await datagram(at: ports.rtcp))
            let opened = try #require(try IncomingReports(key).opened(report))
            #expect(opened[1] == 200, "a sender report")
            let packet = try #require(await datagram(at: ports.rtp))
            #expect(packet.count == 12 + 1_001 + suite.tagByteCount)
            #expect(packet.suffix(500).firstRange(of: [9, 9, 9, 9]) == nil, "the payload consists of nines")

            try await requestKeyframe(
                of: broadcast, client, from: ports, to: try #require(transport.serverPorts),
                ssrc: transport.ssrc ?? 0, key: own)
        }
    }

    /// A keyframe request has an effect only if it is encrypted with the client's key.
    private func requestKeyframe(
        of broadcast: Broadcast, _ client: TLSSocket, from ports: borrowing Reactor.RTPSocketPair,
        to server: RTSP.PortPair, ssrc: UInt32, key own: MasterKey
    ) async throws {
        func send(_ bytes: [UInt8], _ socket: borrowing UDPSocket) {
            bytes.withUnsafeBytes { _ = socket.send($0, to: .loopback(.ipv4, port: server.rtcp)) }
        }
        let media = (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * $0)) }
        // An empty receiver report, and PLI.
        let pli: [UInt8] = [0x80, 201, 0, 1, 1, 2, 3, 4, 0x81, 206, 0, 2, 1, 2, 3, 4] + media
        // The keyframe that was requested at the start.
        broadcast.publish(idr: true)
        let source = broadcast.source
        let before = source.requests.load(ordering: .relaxed)
        send(pli, ports.rtcp)
        let others = try #require(MasterKey(.counterMode, material: [UInt8](repeating: 7, count: 30)))
        send(try #require(try OutgoingProtection(others, ssrc: 1).sealed(report: pli)), ports.rtcp)
        // The server has read both when it answers, because it reads datagrams in the turn in which they come.
        #expect(try client.request(.options, "*").status == .ok)
        #expect(source.requests.load(ordering: .relaxed) == before)
        send(try #require(try OutgoingProtection(own, ssrc: 1).sealed(report: pli)), ports.rtcp)
        #expect(await eventually(within: 20) { source.requests.load(ordering: .relaxed) > before })
    }

    @Test func eachSessionHasItsOwnKey() async throws {
        try await withServer(srtp: .counterMode) { _, client in
            let ports = try Reactor.RTPSocketPair.bind(evenIn: 41_000...44_000)
            let others = try Reactor.RTPSocketPair.bind(evenIn: 44_002...47_000)
            #expect(try setUp(client, ports).status == .unsupportedTransport, "no key was sent yet")
            let first = try #require(try keyMessage(client)).masterKey()
            #expect(try setUp(client, ports).status == .ok)
            #expect(try setUp(client, others).status == .unsupportedTransport, "the key is in use")
            let second = try #require(try keyMessage(client)).masterKey()
            #expect(first != second)
            #expect(try setUp(client, others).status == .ok)
        }
    }

    @Test func live555GetsAKeyWithIdentifierForCounterMode() async throws {
        try await withServer(srtp: .gcm) { _, client in
            let agent = "LibVLC/3.0.18 (LIVE555 Streaming Media v2016.11.28)"
            let key = try #require(try keyMessage(client, as: agent)).masterKey()
            #expect(key.suite == .counterMode && key.identifier.count == 4)
        }
    }

    @Test func withoutSRTPNoKeyIsSent() async throws {
        try await withServer(srtp: nil) { _, client in
            #expect(try keyMessage(client) == nil)
            let ports = try Reactor.RTPSocketPair.bind(evenIn: 41_000...44_000)
            #expect(try setUp(client, ports).status == .unsupportedTransport)
        }
    }
}

extension IncomingReports {
    fileprivate func opened(_ report: [UInt8]) -> [UInt8]? {
        guard let plain = opened(report.rawSpan) else { return nil }
        return [UInt8](plain)
    }
}
