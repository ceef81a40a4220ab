import Media
import RTSPServer
import Reactor
import TestSupport
import Testing

/// Viewers over UDP and in groups on the real server.
@Suite(.serialized)
struct DatagramTests {
    /// When a client behind a translator sends its punch packets, and in which order.
    enum Punches: CaseIterable {
        case beforePlay
        case afterPlay
        case reportsFirst
    }

    @Test(arguments: Punches.allCases)
    func packetsGoWhereTheClientIsHeardFrom(punches: Punches) async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            // What the client names is what it has; what the server hears is what the translator makes of it.
            let named = try RTPSocketPair.bind(evenIn: 41_000...44_000)
            let real = try RTPSocketPair.bind(evenIn: 45_000...48_000)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, answer) = try broadcast.setUp(
                on: client, "RTP/AVP;unicast;client_port=\(named.port)-\(named.port + 1)")
            let port = try #require(serverPort(in: answer))
            if punches == .beforePlay { punch(real.rtp, port) }
            if punches == .beforePlay { punch(real.rtcp, port + 1) }
            // Both have been read when this is answered: datagrams are looked at in each turn in which they come.
            #expect(try client.request("OPTIONS", broadcast.url, session).status == 200)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            if punches == .reportsFirst { punch(real.rtcp, port + 1) }
            if punches == .reportsFirst { #expect(try client.request("OPTIONS", broadcast.url, session).status == 200) }
            if punches != .beforePlay { punch(real.rtp, port) }
            var datagrams = ReceivedDatagrams()
            var hasArrived = false
            for _ in 0..<500 where !hasArrived {
                broadcast.publish(idr: true)
                hasArrived = await eventually(within: 0.02) { datagrams.receive(from: real.rtp) != .wouldBlock }
            }
            #expect(hasArrived)
        }
    }

    private func serverPort(in answer: RTSPSocket.Response) -> UInt16? {
        let parts = (answer.header("Transport") ?? "").split(separator: ";")
        let ports = parts.first { $0.hasPrefix("server_port=") }?.dropFirst("server_port=".count)
        return ports?.split(separator: "-").first.flatMap { UInt16($0) }
    }

    private func punch(_ socket: borrowing UDPSocket, _ port: UInt16) {
        [0x80, 0, 0, 0].withUnsafeBytes { bytes in
            _ = socket.send(bytes, to: .loopback(.ipv4, port: port))
        }
    }

    @Test func aGroupIsOnAirForAsLongAsSomeoneWatches() async throws {
        let group = MulticastOptions(group: "239.9.9.9", port: 45_000, interface: "127.0.0.1")
        try await Broadcast.run(multicast: group) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, answer) = try broadcast.setUp(on: client, "RTP/AVP;multicast")
            #expect(answer.status == 200)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            #expect(await isSending(broadcast))
            // Other tracks end the group, which is made anew for who watches.
            broadcast.stream.announce([Broadcast.video, Broadcast.audio])
            #expect(await isSending(broadcast))
            #expect(try client.request("TEARDOWN", broadcast.url, session).status == 200)
            let isSilent = await eventually(within: 5) {
                let before = await broadcast.packetCount()
                broadcast.publish(idr: true)
                // Two turns later at the latest the picture would have left.
                for _ in 0..<2 { _ = try? client.request("OPTIONS", broadcast.url) }
                return await broadcast.packetCount() == before
            }
            #expect(isSilent)
        }
    }

    private func isSending(_ broadcast: Broadcast) async -> Bool {
        let before = await broadcast.packetCount()
        return await eventually(within: 5) {
            broadcast.publish(idr: true)
            return await broadcast.packetCount() > before
        }
    }
}
