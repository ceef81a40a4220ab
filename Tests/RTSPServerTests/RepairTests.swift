import Media
import RTP
import RTSPServer
import Reactor
import TestSupport
import Testing

/// What clients are offered for lossy networks, and what their requests over UDP cause, on the real server.
@Suite(.serialized)
struct RepairTests {
    private func description(for userAgent: String?, of broadcast: Broadcast) throws -> String {
        let client = try RTSPSocket(port: broadcast.port)
        let headers = userAgent.map { ["User-Agent": $0] } ?? [:]
        return try client.request("DESCRIBE", broadcast.url, headers).body
    }

    @Test(
        arguments: [
            ("Lavf59.27.100", "m=video 0 RTP/AVPF 96\r\n"), ("libmpv", "m=video 0 RTP/AVPF 96\r\n"),
            ("GStreamer/1.22.0", "m=video 0 RTP/AVPF 96 112\r\n"),
            ("apus", "m=video 0 RTP/AVPF 96\r\n"), ("apus-measure", "m=video 0 RTP/AVPF 96\r\n"), ("apus-bench", nil),
            ("LibVLC/3.0.20 (LIVE555 Streaming Media v2016)", nil),
            ("openRTSP (LIVE555 Streaming Media v2025)", nil), (nil, nil),
        ] as [(String?, String?)])
    func eachClientIsOfferedTheRepairThatItUnderstands(userAgent: String?, medium: String?) async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let text = try description(for: userAgent, of: broadcast)
            #expect(text.contains(medium ?? "m=video 0 RTP/AVP 96\r\n"))
            #expect(text.contains("b=AS:4000\r\n"))
            #expect(text.contains("a=fmtp:112 apt=96;rtx-time=1000\r\n") == (userAgent?.hasPrefix("GStreamer") == true))
            // The stream has no rate policy, so nothing needs to be measured.
            #expect(!text.contains("transport-cc"))
        }
    }

    @Test func withoutRetransmissionNothingIsOffered() async throws {
        try await Broadcast.run({ $0.network.retransmits = false }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let text = try description(for: "GStreamer/1.22.0", of: broadcast)
            #expect(text.contains("m=video 0 RTP/AVP 96\r\n"))
        }
    }

    @Test(arguments: ["Lavf59.27.100", "GStreamer/1.22.0", "apus-measure"])
    func aLostPacketIsSentAgain(userAgent: String) async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let ports = try RTPSocketPair.bind(evenIn: 41_000...44_000)
            let client = try RTSPSocket(port: broadcast.port)
            let profile = userAgent.hasPrefix("Lavf") ? "RTP/AVP" : "RTP/AVPF"
            let hasOwnStream = userAgent.hasPrefix("GStreamer")
            let (session, answer) = try broadcast.setUp(
                on: client, "\(profile);unicast;client_port=\(ports.port)-\(ports.port + 1)",
                in: ["User-Agent": userAgent])
            let transport = try #require(answer.header("Transport"))
            #expect(transport.hasPrefix("\(profile);unicast"))
            let serverPorts = try #require(transport.split(separator: ";").first { $0.hasPrefix("server_port=") })
            let reports = try #require(serverPorts.split(separator: "-").last.flatMap { UInt16($0) })
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            var isRepeated = false
            // A request that comes too late, because the host is busy, is not answered.
            for _ in 0..<50 where !isRepeated {
                broadcast.publish(idr: true)
                let sent = try #require(await packet(at: ports.rtp, within: 1_000) { $0.payloadType == 96 })
                let lost = Feedback.LostPackets(first: sent.header.sequenceNumber)
                // libavformat sends no report before it.
                let request = Compound([
                    .feedback(Feedback(sender: SSRC(7), request: .genericNACK(media: sent.header.ssrc, [lost])))
                ])
                _ = request.encoded().withUnsafeBytes {
                    ports.rtcp.send(
                        $0, to: .loopback(.ipv4, port: reports), segmentByteCount: nil, source: nil)
                }
                let answer = await packet(at: ports.rtp, within: 20) { answer in
                    hasOwnStream
                        ? answer.payloadType == 112 && Array(answer.payload.dropFirst(2)) == sent.payload
                        : answer.header == sent.header && answer.payload == sent.payload
                }
                isRepeated = answer != nil
            }
            #expect(isRepeated)
            let status = try #require(await broadcast.server.viewers(at: .now()).first)
            #expect(status.network.repair.map { $0.lost >= 1 && $0.retransmitted >= 1 } == true)
        }
    }

    /// The first packet that fits, within so many hundredths of a second.
    private func packet(
        at socket: borrowing UDPSocket, within attempts: Int, _ fits: (ReceivedPacket) -> Bool
    ) async -> ReceivedPacket? {
        var datagrams = ReceivedDatagrams()
        for _ in 0..<attempts {
            while case .bytes = datagrams.receive(from: socket) {
                var found: ReceivedPacket?
                datagrams.forEachDatagram { datagram in
                    guard found == nil, let packet = ReceivedPacket([UInt8](datagram.bytes)), fits(packet) else {
                        return
                    }
                    found = packet
                }
                if let found { return found }
            }
            _ = await eventually(within: 0.01) { false }
        }
        return nil
    }
}

private struct ReceivedPacket {
    let header: Header
    let payload: [UInt8]

    var payloadType: UInt8 { header.payloadType.rawValue }

    init?(_ bytes: [UInt8]) {
        guard let (header, payload) = Header.parse(bytes.rawSpan) else { return nil }
        (self.header, self.payload) = (header, Array(bytes[payload]))
    }
}
