import Foundation
import Media
import RTP
import RTSP
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import RTSPClient

/// A session over UDP with a server from which a packet is lost, and that sends it again on request.
@Suite struct LostPacketTests {
    @Test func aLostPacketIsRequestedAndReceived() throws {
        let server = try LossyServer(feedback: "a=rtcp-fb:96 nack\r\n")
        let outcome = try Watch.run(try server.plan(), untilPackets: 4)
        #expect(outcome.payloads == [0: [[1], [2], [4], [3]]])
        #expect(server.offeredProfile == "RTP/AVPF")
    }

    @Test func nothingIsRequestedWithoutPatience() throws {
        let server = try LossyServer(feedback: "a=rtcp-fb:96 nack\r\n")
        var plan = try server.plan()
        plan.repairPatience = nil
        #expect(try Watch.run(plan, untilPackets: 3).payloads == [0: [[1], [2], [4]]])
    }
}

/// Sends the packets 1, 2 and 4, and 3 on request.
private final class LossyServer: Sendable {
    private let sockets: RTPSocketPair
    private let client = Mutex<(profile: String, port: UInt16)?>(nil)
    private let server = Mutex<ScriptedServer?>(nil)

    init(feedback: String) throws {
        sockets = try RTPSocketPair.bind(evenIn: 44_002...47_000)
        let sdp =
            "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=cam\r\nt=0 0\r\nm=video 0 RTP/AVPF 96\r\na=rtpmap:96 H264/90000\r\n"
            + feedback + "a=control:track1\r\n"
        let script = try ScriptedServer { [weak self] request, peer in
            switch request.method {
            case "DESCRIBE": return peer.send(request.answer(["Content-Type: application/sdp"], body: sdp))
            case "SETUP": return peer.send(request.answer(["Session: 1"] + (self?.transport(for: request) ?? [])))
            case "PLAY":
                guard peer.send(request.answer(["Session: 1"])) else { return false }
                self?.sendPackets()
                return true
            default: return peer.send(request.answer())
            }
        }
        server.withLock { $0 = script }
    }

    func plan() throws -> SessionPlan {
        let url = try #require(server.withLock { $0?.url })
        var plan = SessionPlan(try #require(RequestURL(url)), transport: .udp)
        plan.repairPatience = 30_000_000_000
        return plan
    }

    var offeredProfile: String? { client.withLock { $0?.profile } }

    private func transport(for request: ScriptedServer.Request) -> [String] {
        guard let offer = request.head.firstMatch(of: /Transport: ([^;]+);unicast;client_port=(\d+)-/),
            let port = UInt16(offer.2)
        else { return [] }
        client.withLock { $0 = (String(offer.1), port) }
        return [
            "Transport: \(offer.1);unicast;client_port=\(port)-\(port + 1);"
                + "server_port=\(sockets.port)-\(sockets.port + 1)"
        ]
    }

    private func sendPackets() {
        for number in [1, 2, 4] as [UInt8] { send(number) }
        guard offeredProfile == "RTP/AVPF" else { return }
        // Answers the first request, however late it comes on a busy machine.
        let deadline = MonotonicTime.now().advanced(byMilliseconds: 20_000)
        var datagrams = ReceivedDatagrams()
        var hasAnswered = false
        while !hasAnswered, MonotonicTime.now() < deadline {
            while case .bytes = datagrams.receive(from: sockets.rtcp) {
                datagrams.forEachDatagram { datagram in
                    for number in requested(by: [UInt8](datagram.bytes)) {
                        send(UInt8(number.rawValue))
                        hasAnswered = true
                    }
                }
            }
            usleep(1_000)
        }
    }

    private func requested(by datagram: [UInt8]) -> [SequenceNumber] {
        guard let compound = try? Compound(parsing: datagram.span.bytes) else { return [] }
        return compound.packets.flatMap { packet -> [SequenceNumber] in
            guard case .feedback(let feedback) = packet, case .genericNACK(_, let lost) = feedback.request else {
                return []
            }
            return lost.flatMap(\.sequenceNumbers)
        }
    }

    private func send(_ number: UInt8) {
        guard let port = client.withLock({ $0?.port }) else { return }
        let packet: [UInt8] = [0x80, 96, 0, number, 0, 0, 0, 1, 0, 0, 0, 9, number]
        _ = packet.withUnsafeBytes { sockets.rtp.send($0, to: .loopback(.ipv4, port: port)) }
    }
}
