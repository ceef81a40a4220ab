import Delivery
import Foundation
import Media
import RTP
import Reactor
import Streams
import TestSupport
import Testing
import Wire

@testable import RTSPServer

/// Publishers, written by hand, of a server on loopback.
struct PublishingTests {
    private static let description = """
        v=0\r
        o=- 0 0 IN IP4 127.0.0.1\r
        s=Garden\r
        t=0 0\r
        m=video 0 RTP/AVP 96\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0LAHtkDxWhAAAADAEAAAAwDxYuS,aMuMsg==\r
        a=control:streamid=0\r

        """

    /// A server with a path `/live` for publishers.
    private func withLive(
        override: PublishingPoint.Override = .sameUser,
        _ body: (Broadcast, PublishingPoint, String) async throws -> Void
    ) async throws {
        try await Broadcast.run { broadcast in
            let point = PublishingPoint(into: Streams.Stream(path: "/live", epoch: .now()), override: override)
            var options = PathOptions(title: "live")
            options.hasDefaultTitle = true
            broadcast.directory.insert(point.stream, options: options, publishing: point)
            try await body(broadcast, point, "rtsp://127.0.0.1/live")
        }
    }

    /// Announces and sets up the stream over TCP.
    private func announce(
        _ url: String, to broadcast: Broadcast, transport: String = "RTP/AVP/TCP;unicast;interleaved=0-1"
    ) throws -> (client: RTSPSocket, session: [String: String], answer: RTSPSocket.Response) {
        let client = try RTSPSocket(port: broadcast.port)
        let announced = try client.request(
            "ANNOUNCE", url, ["Content-Type": "application/sdp"], body: Self.description)
        #expect(announced.status == 200)
        let answer = try client.request(
            "SETUP", "\(url)/streamid=0", ["Transport": "\(transport);mode=record"])
        #expect(answer.status == 200)
        let id = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
        return (client, ["Session": id], answer)
    }

    private func publish(_ url: String, to broadcast: Broadcast) throws -> RTSPSocket {
        let (client, session, _) = try announce(url, to: broadcast)
        #expect(try client.request("RECORD", url, session).status == 200)
        return client
    }

    /// A keyframe in one packet.
    private func packet(_ number: UInt16, _ timestamp: UInt32, fill: UInt8 = 9) -> [UInt8] {
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: true, sequenceNumber: SequenceNumber(number),
            timestamp: timestamp, ssrc: SSRC(0xBEEF))
        var writer = ByteWriter(capacity: 12)
        header.write(to: &writer)
        return writer.bytes + [0x65] + [UInt8](repeating: fill, count: 500)
    }

    private func frame(_ packet: [UInt8], on channel: UInt8 = 0) -> [UInt8] {
        [0x24, channel, UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)] + packet
    }

    /// The next packet of the viewer with media, which ends a frame.
    private func frame(of viewer: RTSPSocket) -> [UInt8]? {
        while let frame = viewer.frame(within: 5) {
            if frame.channel == 0, frame.bytes[1] & 0x80 != 0 { return frame.bytes }
        }
        return nil
    }

    @Test func viewersSeeOnePublisherAfterTheOther() async throws {
        try await withLive { broadcast, point, url in
            let viewer = try RTSPSocket(port: broadcast.port)
            var last: UInt16?
            for round in 0..<3 {
                let (publisher, session, _) = try announce(url, to: broadcast)
                #expect(try publisher.request("RECORD", url, session).status == 200)
                publisher.send(frame(packet(1, 90_000, fill: UInt8(round))))
                if round == 0 {
                    #expect(try viewer.play(url, tracks: 1).answer.status == 200)
                    #expect(frame(of: viewer) != nil, "the fast start")
                }
                for number in 2...4 {
                    publisher.send(frame(packet(UInt16(number), UInt32(90_000 + 3_000 * number), fill: UInt8(round))))
                }
                var seen = 0
                while seen < 3, let bytes = frame(of: viewer) {
                    guard bytes.last == UInt8(round) else { continue }
                    let number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
                    if let last { #expect(number &- last <= 4, "no gap but parameter sets") }
                    (last, seen) = (number, seen + 1)
                }
                #expect(seen == 3, "round \(round)")
                #expect(point.publisher != nil)
                _ = try publisher.request("TEARDOWN", url, session)
                #expect(await eventually(within: 20) { point.publisher == nil })
            }
            #expect(!viewer.isClosed)
        }
    }

    @Test func thePublishersTitleIsUsedUnlessThereIsAnother() async throws {
        try await withLive { broadcast, point, url in
            let publisher = try publish(url, to: broadcast)
            publisher.send(frame(packet(1, 90_000)))
            let viewer = try RTSPSocket(port: broadcast.port)
            #expect(try viewer.request("DESCRIBE", url).body.contains("\r\ns=Garden\r\n"))
            broadcast.directory.insert(point.stream, options: PathOptions(title: "mine"), publishing: point)
            #expect(try viewer.request("DESCRIBE", url).body.contains("\r\ns=mine\r\n"))
        }
    }

    /// Another user, or another host, is refused; the same takes over, and the viewers stay.
    @Test(arguments: PublishingPoint.Override.allCases)
    func takingOver(override: PublishingPoint.Override) async throws {
        func publisher(_ user: String?, _ host: String) throws -> PublishingPoint.Publisher {
            .init(user: user, peer: try #require(SocketAddress(host, port: 4_000)), userAgent: nil)
        }
        try await withLive(override: override) { broadcast, point, url in
            let first = try publish(url, to: broadcast)
            let same = point.refusal(of: try publisher(nil, "127.0.0.1"))
            let other = point.refusal(of: try publisher(nil, "192.0.2.7"))
            #expect((same == nil) == (override != .never))
            #expect((other == nil) == (override == .always))
            #expect([same, other].compactMap(\.self).allSatisfy { $0 == .publishedBy("127.0.0.1") })
            guard override != .never else { return }
            let second = try publish(url, to: broadcast)
            #expect(first.response(within: 20) == nil && first.isClosed, "the first publisher is disconnected")
            second.send(frame(packet(1, 90_000)))
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 1 })
        }
    }

    /// A publisher whose ports a NAT has changed is recognised by its payload type.
    @Test func packetsFromAnotherPortAreTaken() async throws {
        try await withLive { broadcast, point, url in
            let socket = try UDPSocket(at: #require(SocketAddress("127.0.0.1", port: 0)))
            let (client, session, answer) = try announce(
                url, to: broadcast, transport: "RTP/AVP;unicast;client_port=19998-19999")
            #expect(try client.request("RECORD", url, session).status == 200)
            let transport = answer.header("Transport") ?? ""
            #expect(transport.hasSuffix(";mode=record"))
            let port = try #require(transport.firstMatch(of: /server_port=(\d+)-/).flatMap { UInt16($0.1) })
            let server = try #require(SocketAddress("127.0.0.1", port: port))
            func send(_ packet: [UInt8]) {
                _ = packet.withUnsafeBytes { socket.send($0, to: server) }
            }
            var wrong = packet(7, 1)
            wrong[1] = 0x80 | 97
            send(wrong)
            for number in 1...3 { send(packet(UInt16(number), UInt32(90_000 + 3_000 * number))) }
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 3 })
        }
    }

    /// GStreamer says goodbye and then stays connected.
    @Test func aGoodbyeEndsThePublication() async throws {
        try await withLive { broadcast, point, url in
            let publisher = try publish(url, to: broadcast)
            publisher.send(frame(packet(1, 90_000)))
            let report = ReceiverReport(ssrc: SSRC(0xBEEF))
            let goodbye = Compound(
                report: report, canonicalName: "x", goodbye: Goodbye(sources: [SSRC(0xBEEF)]))
            publisher.send(frame(goodbye.encoded(), on: 1))
            #expect(await eventually(within: 20) { point.publisher == nil })
        }
    }

    /// What a publisher sends besides media has no effect.
    @Test func garbageIsIgnored() async throws {
        try await withLive { broadcast, point, url in
            let publisher = try publish(url, to: broadcast)
            for bytes in [[], [0x80], [0x80, 0xC8], [UInt8](repeating: 0xFF, count: 1_000)] as [[UInt8]] {
                for channel in [0, 1, 7] as [UInt8] { publisher.send(frame(bytes, on: channel)) }
            }
            publisher.send(frame(packet(1, 90_000)))
            #expect(await eventually(within: 20) { point.stream.published.pictureCount == 1 })
            #expect(!publisher.isClosed)
        }
    }

    @Test(arguments: [
        ("m=video 0 RTP/AVP 96\r\na=rtpmap:96 VP9/90000\r\n", "VP9 is not supported"),
        ("m=video 0 RTP/AVP 96\r\n", "The codec of payload type 96 (video) is not described"),
        ("m=application 0 RTP/AVP 96\r\na=rtpmap:96 x/90000\r\n", "there is no video and no audio"),
    ])
    func codecsThatAreNotReceivedAreNamed(media: String, reason: String) async throws {
        try await withLive { broadcast, _, url in
            let client = try RTSPSocket(port: broadcast.port)
            let answer = try client.request(
                "ANNOUNCE", url, ["Content-Type": "application/sdp"], body: "v=0\r\ns=x\r\nt=0 0\r\n\(media)")
            #expect(answer.status == 415 && answer.head.contains(reason), "\(answer.head)")
        }
    }

    @Test func pathsWithTheirOwnSourceAreRefused() async throws {
        try await withLive { broadcast, _, _ in
            let client = try RTSPSocket(port: broadcast.port)
            for (path, status) in [("cam", 403), ("nowhere", 404)] {
                let answer = try client.request(
                    "ANNOUNCE", "rtsp://127.0.0.1/\(path)", ["Content-Type": "application/sdp"],
                    body: Self.description)
                #expect(answer.status == status)
            }
        }
    }

    /// Texts of publishers are cut at a character, and placeholders are not titles.
    @Test func textsOfPublishers() throws {
        func title(_ name: String) -> String? { PublishedTexts(title: name).title }
        #expect(title("Garden") == "Garden" && title("No Name") == nil && title("-") == nil && title(" ") == nil)
        #expect(title(String(repeating: "ü", count: 150)) == String(repeating: "ü", count: 100))
        #expect(title("a\u{7}b") == "ab")
    }
}
