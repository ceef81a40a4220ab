import Media
import RTP
import TestSupport
import Testing

@testable import WebRTC
@testable import WebRTCServer

/// What clients must not be able to do.
@Suite(.serialized)
struct GuardTests {
    @Test func aCheckWithAWrongPasswordIsNotAnswered() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let peer = try WebRTCPeer()
            let response = try await broadcast.open(peer.offer())
            try peer.accept(response.text, password: "0123456789012345678901234")
            #expect(!peer.run(within: 0.5) { peer.datagramCount > 0 })
            // With the right one, the session is still there.
            let second = try WebRTCPeer()
            try second.accept(response.text)
            #expect(second.run { second.isChecked })
        }
    }

    /// Whatever else comes from an address without a valid check is not answered, so the server amplifies nothing.
    @Test func nothingIsAnsweredBeforeAValidCheck() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            let peer = try WebRTCPeer()
            let response = try await broadcast.open(peer.offer())
            try peer.accept(response.text, password: "0123456789012345678901234")
            // The first bytes of DTLS, RTP, RTCP, STUN without a cookie, TURN and QUIC.
            for first: UInt8 in [22, 0x80, 0x81, 0x00, 0x40, 0xFF] {
                peer.send([first, 0xC8] + [UInt8](repeating: 1, count: 100))
            }
            #expect(!peer.run(within: 0.5) { peer.datagramCount > 0 })
        }
    }

    /// The owner of a session forges the source of a check. No client answers the server's check there.
    @Test func mediaDoNotGoToAnAddressThatAnswersNoCheck() async throws {
        try await withViewer { broadcast, peer in
            let victim = try LoopbackSocket(port: peer.port, isDatagram: true)
            victim.send(peer.check())
            let kinds = (0..<2).map { _ in
                victim.receive(within: 5).flatMap { STUNMessage(parsing: $0.span.bytes)?.kind }
            }
            #expect(kinds == [.success, .request])
            for _ in 0..<5 {
                let count = peer.packets.count
                broadcast.publishFrame()
                try #require(peer.run { peer.packets.count > count })
            }
            #expect(victim.receive(within: 0.05) == nil)
        }
    }

    @Test func mediaFollowAClientToAnotherPort() async throws {
        try await withViewer { broadcast, peer in
            try peer.move()
            let count = peer.packets.count
            #expect(
                peer.run {
                    broadcast.publishFrame()
                    return peer.packets.count > count + 5
                })
        }
    }

    /// Runs `body` with a viewer that has got media.
    private func withViewer(_ body: (WebRTCBroadcast, WebRTCPeer) throws -> Void) async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            try body(broadcast, try await viewer(of: broadcast))
        }
    }

    /// A viewer that has got media.
    private func viewer(of broadcast: WebRTCBroadcast) async throws -> WebRTCPeer {
        broadcast.publishFrame(isKeyframe: true)
        let peer = try WebRTCPeer()
        let response = try await broadcast.open(peer.offer())
        try peer.accept(response.text)
        try #require(peer.run { !peer.packets.isEmpty })
        return peer
    }

    /// The owner of a session forges the source of its checks: it is the address and port of another client.
    @Test func aSessionCannotTakeThePathOfAnother() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            let (attacker, victim) = (try await viewer(of: broadcast), try await viewer(of: broadcast))
            for _ in 0..<3 { victim.send(attacker.check()) }
            // Makes the attacker's session forget its oldest path.
            let others = try (0..<9).map { _ in try LoopbackSocket(port: attacker.port, isDatagram: true) }
            for other in others {
                other.send(attacker.check())
                #expect(other.receive(within: 5) != nil)
            }
            for peer in [victim, attacker] {
                expectMedia(broadcast, at: peer)
                expectAnswer(to: peer)
            }
        }
    }

    /// Another session has checked a client's address and port before the client does, and has received nothing there.
    @Test func aPathThatAnotherSessionHasOnlyCheckedIsTakenOver() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            let attacker = try await viewer(of: broadcast)
            broadcast.publishFrame(isKeyframe: true)
            let client = try WebRTCPeer()
            let response = try await broadcast.open(client.offer())
            try client.accept(response.text)
            client.send(attacker.check())
            for peer in [client, attacker] {
                expectMedia(broadcast, at: peer)
                expectAnswer(to: peer)
            }
        }
    }

    private func expectMedia(_ broadcast: WebRTCBroadcast, at peer: WebRTCPeer) {
        let count = peer.packets.count
        #expect(
            peer.run {
                broadcast.publishFrame(isKeyframe: true)
                return peer.packets.count > count + 5
            })
    }

    /// Expects that the reports of a client belong to its session.
    private func expectAnswer(to peer: WebRTCPeer) {
        func answers() -> Int { peer.reports.count { if case .extendedReport = $0 { true } else { false } } }
        let count = answers()
        let time = NTPTime(rawValue: 0x1122_3344_5566_7788)
        peer.send(.extendedReport(ExtendedReport(ssrc: SSRC(5), blocks: [.receiverReferenceTime(time)])))
        #expect(peer.run(within: 10) { answers() > count })
    }

    @Test func aForeignCertificateEndsTheSession() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (expected, other) = (try WebRTCPeer(), try WebRTCPeer())
            let response = try await broadcast.open(expected.offer())
            try other.accept(response.text)
            #expect(!other.run(within: 1) { !other.packets.isEmpty })
            let ended = await broadcast.request("GET", response.session)
            #expect(ended.status == 404 && ended.text.contains("fingerprint"))
        }
    }

    @Test func sessionsWithoutAClientAreLimited() async throws {
        try await WebRTCBroadcast.run { options in
            options.maximumPendingPerAddress = 3
            options.maximumPendingSessions = 4
        } _: { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let peer = try WebRTCPeer()
            var sessions: [String] = []
            for _ in 0..<3 { sessions.append(try await broadcast.open(peer.offer()).session) }
            #expect(try await broadcast.open(peer.offer()).status == 503)
            #expect(try await broadcast.open(peer.offer(), from: "127.0.0.2").status == 201)
            #expect(try await broadcast.open(peer.offer(), from: "127.0.0.3").status == 503)
            #expect(await broadcast.request("DELETE", sessions[0]).status == 200)
            #expect(try await broadcast.open(peer.offer()).status == 201)
        }
    }

    @Test(arguments: [
        "", "0", "0-", "0-00", "9-0123456789abcdef0123456789abcdef", "0-0123456789abcdef0123456789abcdef",
    ])
    func aGuessedSessionIsNone(_ name: String) async throws {
        try await WebRTCBroadcast.run { broadcast in
            #expect(await broadcast.request("DELETE", name).status == 404)
        }
    }

    @Test func aReplayedRequestIsAnsweredOnce() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let peer = try WebRTCPeer()
            let response = try await broadcast.open(peer.offer())
            try peer.accept(response.text)
            try #require(peer.run { peer.isEstablished })
            let time = NTPTime(rawValue: 0x1122_3344_5566_7788)
            let report = ExtendedReport(ssrc: SSRC(5), blocks: [.receiverReferenceTime(time)])
            func answers() -> Int {
                peer.reports.count { if case .extendedReport = $0 { true } else { false } }
            }
            let bytes = try #require(peer.sealed(.extendedReport(report)))
            peer.send(bytes)
            peer.send(bytes)
            #expect(peer.run { answers() == 1 })
            peer.send(.extendedReport(report))
            #expect(peer.run { answers() == 2 })
        }
    }
}
