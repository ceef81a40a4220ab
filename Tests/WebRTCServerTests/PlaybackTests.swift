import Media
import RTP
import RateControl
import Streams
import TestSupport
import Testing

@testable import WebRTC
@testable import WebRTCServer

/// Viewers over WebRTC on the real server.
@Suite(.serialized)
struct PlaybackTests {
    /// Connects a viewer of `/cam`, which has a keyframe.
    private func viewer(of broadcast: WebRTCBroadcast, over way: WebRTCPeer.Way = .udp) async throws -> (
        WebRTCPeer, String
    ) {
        let peer = try WebRTCPeer(way)
        let response = try await broadcast.open(peer.offer())
        try #require(response.status == 201, "\(response.text)")
        try peer.accept(response.text)
        try #require(peer.run { peer.isEstablished })
        return (peer, response.session)
    }

    @Test(arguments: [WebRTCPeer.Way.udp, .tcp])
    func aViewerGetsTheFastStartAndThenEachFrame(_ way: WebRTCPeer.Way) async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true, fill: 1)
            let (peer, _) = try await viewer(of: broadcast, over: way)
            #expect(peer.run { peer.packets.contains { $0.payload.last == 1 } })
            broadcast.publishFrame(fill: 2)
            #expect(peer.run { peer.packets.contains { $0.payload.last == 2 } })
            #expect(peer.packets.allSatisfy { $0.header.payloadType.rawValue == 96 })
            // A report comes with the first packets, so that the browser knows the time.
            #expect(peer.run { peer.reports.contains { if case .senderReport = $0 { true } else { false } } })
            let viewers = await broadcast.webrtc.viewers(at: .now())
            #expect(viewers.map(\.path) == ["/cam"])
            #expect(viewers.first?.transport == (way == .udp ? "WebRTC" : "WebRTC over TCP"))
            #expect(await broadcast.webrtc.viewerCounts() == ["/cam": 1])
        }
    }

    /// A browser whose first check over UDP was lost may begin over TCP, nominate UDP, and close the connection; or the other way round.
    @Test(arguments: [(WebRTCPeer.Way.tcp, WebRTCPeer.Way.udp), (.udp, .tcp)])
    func mediaFollowAClientBetweenUDPAndTCP(_ first: WebRTCPeer.Way, _ second: WebRTCPeer.Way) async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, session) = try await viewer(of: broadcast, over: first)
            #expect(peer.run { !peer.packets.isEmpty })
            try peer.move(to: second)
            func getsFrames(_ fill: UInt8) -> Bool {
                peer.run {
                    broadcast.publishFrame(fill: fill)
                    return peer.packets.count { $0.payload.last == fill } > 5
                }
            }
            #expect(getsFrames(3))
            let viewers = await broadcast.webrtc.viewers(at: .now())
            #expect(viewers.map(\.transport) == [second == .udp ? "WebRTC" : "WebRTC over TCP"])
            peer.closeFormerSockets()
            #expect(getsFrames(4))
            #expect(await broadcast.request("DELETE", session).status == 200)
            let counts = broadcast.cam.viewerCounts.counts
            #expect(counts.joined == [first == .udp ? "WebRTC" : "WebRTC over TCP": 1])
            #expect(Set(counts.left.keys.map(\.transport)) == Set(counts.joined.keys))
        }
    }

    /// The identifiers are those of the offer: playout-delay is 3, the number of the packet 5, and the name of the medium 9. Packets have
    /// numbers if the encoder follows what browsers report about their arrival.
    @Test(arguments: [true, false])
    func packetsHaveTheExtensionsOfTheOffer(isFollowed: Bool) async throws {
        try await WebRTCBroadcast.run { broadcast in
            if isFollowed {
                let (least, most) = (DataRate(bitsPerSecond: 100_000), DataRate(bitsPerSecond: 1_000_000))
                broadcast.cam.setRates(EncoderRate.Settings(limits: RateLimits(minimum: least, maximum: most)))
            }
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, _) = try await viewer(of: broadcast)
            #expect(peer.run { !peer.packets.isEmpty })
            let header = try #require(peer.packets.first?.header)
            let number = header.sequenceNumber.rawValue
            let numbered: [UInt8] = isFollowed ? [0x51, UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] : []
            let others: [UInt8] = [0x32, 0, 0, 0, 0x90, UInt8(ascii: "0")]
            let padding = [UInt8](repeating: 0, count: isFollowed ? 3 : 2)
            #expect(header.headerExtension?.data == numbered + others + padding)
        }
    }

    @Test func aLostPacketIsSentAgainInAStreamOfItsOwn() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, _) = try await viewer(of: broadcast)
            broadcast.publishFrame(fill: 7)
            #expect(peer.run { peer.packets.contains { $0.payload.last == 7 } })
            let lost = try #require(peer.packets.last { $0.payload.last == 7 })
            peer.send(
                .feedback(
                    Feedback(
                        sender: SSRC(1),
                        request: .genericNACK(
                            media: lost.header.ssrc, [Feedback.LostPackets(first: lost.header.sequenceNumber)]))))
            #expect(peer.run { peer.packets.contains { $0.header.payloadType.rawValue == 97 } })
            let repaired = try #require(peer.packets.first { $0.header.payloadType.rawValue == 97 })
            let number = lost.header.sequenceNumber.rawValue
            #expect(repaired.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + lost.payload)
            #expect(repaired.header.ssrc != lost.header.ssrc)
        }
    }

    /// Without an answer, a browser does not know how old its pictures are.
    @Test func theClockOfABrowserIsAnswered() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, _) = try await viewer(of: broadcast)
            let time = NTPTime(rawValue: 0x1122_3344_5566_7788)
            peer.send(.extendedReport(ExtendedReport(ssrc: SSRC(5), blocks: [.receiverReferenceTime(time)])))
            #expect(
                peer.run {
                    peer.reports.contains {
                        guard case .extendedReport(let report) = $0, case .delays(let delays) = report.blocks.first
                        else { return false }
                        return delays.first?.ssrc == SSRC(5) && delays.first?.lastReceiverReport == time.middle
                    }
                })
        }
    }

    @Test func aDeletedSessionEnds() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, session) = try await viewer(of: broadcast)
            #expect(await broadcast.request("DELETE", session).status == 200)
            #expect(peer.run { peer.isEnded })
            #expect(peer.reports.contains { if case .goodbye = $0 { true } else { false } })
            #expect(await broadcast.webrtc.viewerCounts().isEmpty)
            #expect(await broadcast.request("GET", session).status == 404)
        }
    }

    @Test func aDisconnectedViewerLearnsTheReason() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, session) = try await viewer(of: broadcast)
            let id = try #require(await broadcast.webrtc.viewers(at: .now()).first?.id)
            #expect(await broadcast.webrtc.disconnect(id))
            #expect(peer.run { peer.isEnded })
            let response = await broadcast.request("GET", session)
            #expect(response.status == 403 && response.text.contains("an operator has disconnected the viewer"))
        }
    }

    @Test func aClientThatClosesItsConnectionHasLeft() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let (peer, session) = try await viewer(of: broadcast)
            peer.close()
            #expect(await eventually(within: 10) { await broadcast.webrtc.viewerCounts().isEmpty })
            // OBS ends the session then, and takes no other status as success.
            #expect(await broadcast.request("DELETE", session).status == 200)
        }
    }

    /// The parameter sets tell nothing of B-frames.
    @Test func aViewerOfFramesOutOfOrderIsRefused() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(decoded: 0, presented: 80, isKeyframe: true)
            let offer = try WebRTCPeer().offer()
            #expect(try await broadcast.open(offer).status == 201)
            for (index, presented) in [200, 120, 160].enumerated() {
                broadcast.publishFrame(decoded: Int64(index + 1) * 40, presented: Int64(presented))
            }
            let refusal = try await broadcast.open(offer)
            #expect(refusal.status == 422 && refusal.text.contains("H.264 with B-frames"), "\(refusal.text)")
            #expect(await broadcast.webrtc.viewerCounts().isEmpty)
        }
    }

    @Test func anUnknownPathAndAPathWithoutInputAreRefused() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let offer = try WebRTCPeer().offer()
            let unknown = try await broadcast.open(offer, .playback, "/cem")
            #expect(unknown.status == 404 && unknown.text.contains("did you mean /cam?"))
            let silent = try await broadcast.open(offer)
            #expect(silent.status == 409 && silent.value(of: "Retry-After") != nil)
        }
    }
}
