import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP
import SRTP
import Streams
import TLS
import TestSupport
import Testing
import Wire

@testable import RTSPServer

/// Publishers with SRTP, written by hand, of a server on loopback.
@Suite(.serialized)
struct SecurePublishingTests {
    private static let url = "rtsps://127.0.0.1/live"

    private func withLive(_ body: (Broadcast, PublishingPoint) async throws -> Void) async throws {
        let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
        let tls = TLSOptions(port: 0, identity: try ServerIdentity(certificates: own.certificate, key: own.key))
        try await Broadcast.run({ $0.encryption = .strict(tls) }) { broadcast in
            let point = PublishingPoint(into: Streams.Stream(path: "/live", epoch: .now()))
            broadcast.directory.insert(point.stream, options: PathOptions(title: "live"), publishing: point)
            try await body(broadcast, point)
        }
    }

    /// A client that has announced a video track with its key.
    private final class Publisher {
        let client: TLSSocket
        let key: SenderKey
        let ssrc: UInt32
        /// The keys of the server's reports, by the response that had them.
        var reportKeys: [MIKEYMessage] = []
        private let protection: OutgoingProtection
        private var session: Headers = [:]
        private(set) var serverPort: UInt16 = 0

        init(_ broadcast: Broadcast, _ suite: CipherSuite, seed: UInt8 = 0, ssrc: UInt32 = 0xBEEF) throws {
            client = try TLSSocket(port: broadcast.port)
            let material = (0..<(16 + suite.saltByteCount)).map { UInt8($0) &* 3 &+ seed }
            key = SenderKey(try #require(MasterKey(suite, material: material)))
            protection = try OutgoingProtection(key.key, ssrc: ssrc)
            self.ssrc = ssrc
        }

        /// ANNOUNCE, SETUP and RECORD.
        func begin(over transport: String) throws {
            let message = MIKEYMessage(key.key, ssrc: ssrc, bundle: 1, timestamp: 2, random: [3])
            let description = """
                v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/SAVP 96\r
                a=rtpmap:96 H264/90000\r
                a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0LAHtkDxWhAAAADAEAAAAwDxYuS,aMuMsg==\r
                a=key-mgmt:\(message.attributeValue)\r\na=control:streamid=0\r\n
                """
            let announced = try client.request(
                .announce, SecurePublishingTests.url, [.contentType: "application/sdp"], body: Array(description.utf8))
            let answer = try client.request(
                .setUp, "\(SecurePublishingTests.url)/streamid=0", [.transport: "\(transport);mode=record"])
            #expect(announced.status == .ok && answer.status == .ok)
            reportKeys = [announced, answer].compactMap { $0.headers["KeyMgmt"].flatMap(Self.message) }
            let chosen = try #require(answer.headers[.transport].flatMap { Transport.list($0).first })
            #expect(chosen.profile == "RTP/SAVP" && chosen.mode == .record)
            serverPort = chosen.serverPorts?.rtp ?? 0
            session = [.session: try #require(answer.headers[.session]?.split(separator: ";").first.map(String.init))]
            #expect(try client.request(.record, SecurePublishingTests.url, session).status == .ok)
        }

        private static func message(in header: String) -> MIKEYMessage? {
            header.firstMatch(of: /data="([^"]*)"/).flatMap { Base64.decode($0.1) }
                .flatMap { try? MIKEYMessage(parsing: $0) }
        }

        /// A keyframe in one packet.
        func packet(_ index: UInt64) -> [UInt8] {
            let header = Header(
                payloadType: PayloadType(lowBitsOf: 96), isMarked: true,
                sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: index)),
                timestamp: UInt32(truncatingIfNeeded: index &* 3_000), ssrc: SSRC(ssrc))
            var writer = ByteWriter(capacity: 12)
            header.write(to: &writer)
            let payload = [0x65] + [UInt8](repeating: 9, count: 500)
            return writer.bytes + protection.sealed(payload, header: writer.bytes, index: index)
        }

        func report(_ plain: [UInt8]) -> [UInt8] { protection.sealed(report: plain) ?? [] }
    }

    private func send(_ packet: [UInt8], from socket: borrowing UDPSocket, to publisher: Publisher) {
        packet.withUnsafeBytes { _ = socket.send($0, to: .loopback(.ipv4, port: publisher.serverPort)) }
    }

    private func frame(_ packet: [UInt8], on channel: UInt8 = 0) -> [UInt8] {
        [0x24, channel, UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)] + packet
    }

    /// Also through a rollover.
    @Test(arguments: CipherSuite.allCases)
    func packetsOverUDPArePublished(suite: CipherSuite) async throws {
        try await withLive { broadcast, point in
            let publisher = try Publisher(broadcast, suite)
            let ports = try Reactor.RTPSocketPair.bind(evenIn: 31_000...34_000)
            try publisher.begin(over: "RTP/SAVP;unicast;client_port=\(ports.port)-\(ports.port + 1)")
            for index in [0xFFFD, 0xFFFE, 0x1_0000, 0xFFFF, 0x1_0001] as [UInt64] {
                send(publisher.packet(index), from: ports.rtp, to: publisher)
            }
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 5 })
            #expect(point.input?.transport == "SRTP over UDP")
        }
    }

    /// Our first report comes after five seconds.
    @Test func reportsAreEncryptedInBothDirections() async throws {
        try await withLive { broadcast, point in
            let publisher = try Publisher(broadcast, .gcm)
            let ports = try Reactor.RTPSocketPair.bind(evenIn: 31_000...34_000)
            try publisher.begin(over: "RTP/SAVP;unicast;client_port=\(ports.port)-\(ports.port + 1)")
            for index in 1...3 as ClosedRange<UInt64> { send(publisher.packet(index), from: ports.rtp, to: publisher) }
            let goodbye: [UInt8] = [0x81, 203, 0, 1, 0, 0, 0xBE, 0xEF]
            send(goodbye, from: ports.rtp, to: publisher)
            send(publisher.packet(3), from: ports.rtp, to: publisher)
            let report = try #require(await datagram(at: ports.rtcp, within: 20))
            #expect(point.publisher != nil, "the goodbye was not encrypted")
            #expect(point.input?.reception?.tracks.first?.unauthenticCount == 1, "a repeated packet is authentic")

            #expect(publisher.reportKeys.count == 2 && publisher.reportKeys[0] == publisher.reportKeys[1])
            let own = try publisher.reportKeys[0].masterKey()
            #expect(own.suite == .gcm && own != publisher.key.key)
            let compound = try #require(try IncomingReports(own).compound(report))
            guard case .receiverReport(let content)? = compound.packets.first else {
                Issue.record("no receiver report")
                return
            }
            #expect(content.ssrc.rawValue == publisher.reportKeys[0].cryptoSessions[0].ssrc)
            #expect(content.blocks.first?.ssrc == SSRC(publisher.ssrc))

            send(publisher.report(goodbye), from: ports.rtcp, to: publisher)
            #expect(await eventually(within: 20) { point.publisher == nil })
        }
    }

    private func datagram(at socket: borrowing UDPSocket, within seconds: Double) async -> [UInt8]? {
        var datagrams = ReceivedDatagrams()
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if case .bytes = datagrams.receive(from: socket) { return datagrams[0].map { Array($0.bytes) } }
            _ = await eventually(within: 0.01) { false }
        }
        return nil
    }

    @Test(arguments: CipherSuite.allCases)
    func packetsInsideTLSArePublished(suite: CipherSuite) async throws {
        try await withLive { broadcast, point in
            let publisher = try Publisher(broadcast, suite)
            try publisher.begin(over: "RTP/SAVP/TCP;unicast;interleaved=0-1")
            for index in 1...3 as ClosedRange<UInt64> { publisher.client.send(frame(publisher.packet(index))) }
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 3 })
            #expect(point.input?.transport == "SRTP over TLS")
        }
    }

    /// Packets of another key are counted, and the publisher that they pretend to be is not disturbed.
    @Test(arguments: CipherSuite.allCases)
    func forgedPacketsAreCountedAndDropped(suite: CipherSuite) async throws {
        try await withLive { broadcast, point in
            let publisher = try Publisher(broadcast, suite)
            let forger = try Publisher(broadcast, suite, seed: 1)
            try publisher.begin(over: "RTP/SAVP/TCP;unicast;interleaved=0-1")
            for index in 1...50 as ClosedRange<UInt64> {
                for forged in [forger.packet(index), forger.packet(index + 5_000), [], [0x80], [0x80, 0xC8]] {
                    publisher.client.send(frame(forged))
                }
                publisher.client.send(frame(forger.report([0x80, 203, 0, 1, 0, 0, 0xBE, 0xEF]), on: 1))
                publisher.client.send(frame(publisher.packet(index)))
            }
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 50 })
            #expect(await eventually(within: 20) { point.input?.reception?.tracks.first?.unauthenticCount == 300 })
            let track = point.input?.reception?.tracks.first
            #expect(track?.lostCount == 0 && track?.reorderedCount == 0 && point.publisher != nil)
        }
    }

    /// A NAT has changed the publisher's ports, and another program behind it sends packets with the same payload type.
    @Test func aChangedPortIsRecognisedByTheKey() async throws {
        try await withLive { broadcast, point in
            let publisher = try Publisher(broadcast, .counterMode)
            let forger = try Publisher(broadcast, .counterMode, seed: 1)
            try publisher.begin(over: "RTP/SAVP;unicast;client_port=19996-19997")
            let socket = try UDPSocket(at: #require(SocketAddress("127.0.0.1", port: 0)))
            let forging = try UDPSocket(at: #require(SocketAddress("127.0.0.1", port: 0)))
            for index in 1...3 as ClosedRange<UInt64> {
                send(forger.packet(index), from: forging, to: publisher)
                send(publisher.packet(index), from: socket, to: publisher)
            }
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 3 })
            send(publisher.packet(4), from: forging, to: publisher)
            send(publisher.packet(5), from: socket, to: publisher)
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 4 })
        }
    }

    @Test func refusedKeysAreNamed() async throws {
        try await withLive { broadcast, _ in
            let client = try TLSSocket(port: broadcast.port)
            let description = """
                v=0\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/SAVP 96\r\na=rtpmap:96 H264/90000\r
                a=key-mgmt:mikey AQAF\r\n
                """
            let answer = try client.request(
                .announce, Self.url, [.contentType: "application/sdp"], body: Array(description.utf8))
            #expect(answer.status.code == 463)
            #expect(answer.reason == "Key Management Failure: the MIKEY message is truncated at byte 3")
        }
    }
}

extension OutgoingProtection {
    /// The protected bytes after the header.
    fileprivate func sealed(_ payload: [UInt8], header: [UInt8], index: UInt64) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: payload.count + overhead)
        sealed.withUnsafeMutableBytes { place in
            payload.withUnsafeBytes { payload in
                header.withUnsafeBytes { header in
                    // An array that is not empty has a base address.
                    seal(payload, header: header, index: index, to: place.baseAddress!)
                }
            }
        }
        return sealed
    }
}

extension IncomingReports {
    fileprivate func compound(_ report: [UInt8]) -> Compound? {
        guard let plain = opened(report.rawSpan) else { return nil }
        return try? Compound(parsing: plain)
    }
}
