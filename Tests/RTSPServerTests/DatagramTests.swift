import Media
import RTSPServer
import Reactor
import TestSupport
import Testing

/// UDP and multicast viewers on the real server.
@Suite(.serialized)
struct DatagramTests {
    /// When a client behind a NAT sends its hole-punching packets, and in which order.
    enum LatchingOrder: CaseIterable {
        case beforePlay
        case afterPlay
        case reportsFirst
    }

    @Test(arguments: LatchingOrder.allCases)
    func packetsGoToTheLatchedAddress(order: LatchingOrder) async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            // The client names the ports that it has, and the server sees those that the NAT uses.
            let named = try RTPSocketPair.bind(evenIn: 41_000...44_000)
            let real = try RTPSocketPair.bind(evenIn: 45_000...48_000)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, answer) = try broadcast.setUp(
                on: client, "RTP/AVP;unicast;client_port=\(named.port)-\(named.port + 1)")
            let port = try #require(serverPort(in: answer))
            if order == .beforePlay { latch(real.rtp, port) }
            if order == .beforePlay { latch(real.rtcp, port + 1) }
            // The server has read both when it answers, because it reads datagrams in the turn in which they come.
            #expect(try client.request("OPTIONS", broadcast.url, session).status == 200)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            if order == .reportsFirst { latch(real.rtcp, port + 1) }
            if order == .reportsFirst { #expect(try client.request("OPTIONS", broadcast.url, session).status == 200) }
            if order != .beforePlay { latch(real.rtp, port) }
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

    private func latch(_ socket: borrowing UDPSocket, _ port: UInt16) {
        [0x80, 0, 0, 0].withUnsafeBytes { bytes in
            _ = socket.send(bytes, to: .loopback(.ipv4, port: port))
        }
    }

    @Test func aGroupIsSentAsLongAsItHasMembers() async throws {
        let group = MulticastOptions(group: "239.9.9.9", port: 45_000, interface: "127.0.0.1")
        try await Broadcast.run(multicast: group) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, answer) = try broadcast.setUp(on: client, "RTP/AVP;multicast")
            #expect(answer.status == 200)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            #expect(await isSending(broadcast))
            // Changed tracks end the group, which is opened anew for its members.
            broadcast.stream.announce([Broadcast.video, Broadcast.audio])
            #expect(await isSending(broadcast))
            #expect(try client.request("TEARDOWN", broadcast.url, session).status == 200)
            let isSilent = await eventually(within: 20) {
                let before = await broadcast.packetCount()
                broadcast.publish(idr: true)
                // The frame would have been sent two turns later at the latest.
                for _ in 0..<2 { _ = try? client.request("OPTIONS", broadcast.url) }
                return await broadcast.packetCount() == before
            }
            #expect(isSilent)
        }
    }

    private func isSending(_ broadcast: Broadcast) async -> Bool {
        let before = await broadcast.packetCount()
        return await eventually(within: 20) {
            broadcast.publish(idr: true)
            return await broadcast.packetCount() > before
        }
    }
}
