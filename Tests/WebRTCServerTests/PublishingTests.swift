import Delivery
import Media
import RTP
import SRTP
import Streams
import TestSupport
import Testing

@testable import WebRTC
@testable import WebRTCServer

/// Publishers over WebRTC on the real server.
@Suite(.serialized)
struct PublishingTests {
    /// Connects a publisher of `/live`.
    private func publisher(of broadcast: WebRTCBroadcast) async throws -> (WebRTCPeer, String) {
        let peer = try WebRTCPeer()
        let response = try await broadcast.open(peer.offer("sendonly"), .publishing, "/live")
        try #require(response.status == 201, "\(response.text)")
        try peer.accept(response.text)
        try #require(peer.run { peer.isEstablished })
        return (peer, response.session)
    }

    @Test func whatAPublisherSendsReachesTheStream() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (peer, _) = try await publisher(of: broadcast)
            let sender = try TestSender(peer)
            // Parameter sets and a keyframe.
            sender.send(TestSender.parameterSets, timestamp: 3_000, isLast: false)
            sender.send([0x65] + [UInt8](repeating: 3, count: 500), timestamp: 3_000, isLast: true)
            sender.send([0x41] + [UInt8](repeating: 4, count: 500), timestamp: 6_000, isLast: true)
            #expect(await eventually(within: 10) { broadcast.live.stream.published.pictureCount >= 1 })
            #expect(broadcast.live.stream.announcement?.tracks.first?.codec == .h264)
            // The status is noted once a second.
            #expect(await eventually(within: 10) { broadcast.live.input?.transport == "WebRTC" })
        }
    }

    @Test func aPublisherIsAskedForAKeyframe() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (peer, _) = try await publisher(of: broadcast)
            let sender = try TestSender(peer)
            sender.send(TestSender.parameterSets, timestamp: 3_000, isLast: false)
            sender.send([0x65] + [UInt8](repeating: 3, count: 500), timestamp: 3_000, isLast: true)
            #expect(await eventually(within: 10) { broadcast.live.input != nil })
            broadcast.live.requestKeyframe()
            #expect(
                peer.run {
                    peer.reports.contains {
                        guard case .feedback(let feedback) = $0,
                            case .pictureLossIndication(let media) = feedback.request
                        else { return false }
                        return media == sender.ssrc
                    }
                })
        }
    }

    @Test func theEndOfASessionEndsThePublication() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (_, session) = try await publisher(of: broadcast)
            #expect(await eventually(within: 10) { broadcast.live.publisher != nil })
            #expect(await broadcast.request("DELETE", session).status == 200)
            #expect(broadcast.live.publisher == nil)
        }
    }

    @Test func aPathWithASourceOfItsOwnTakesNoPublisher() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let response = try await broadcast.open(try WebRTCPeer().offer("sendonly"), .publishing, "/cam")
            #expect(response.status == 409 && response.text.contains("a source of its own"))
        }
    }

    @Test func anotherPublisherIsRefusedWithTheReason() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.live.setOverride(.never)
            _ = try await publisher(of: broadcast)
            #expect(await eventually(within: 10) { broadcast.live.publisher != nil })
            let response = try await broadcast.open(try WebRTCPeer().offer("sendonly"), .publishing, "/live")
            #expect(response.status == 409 && response.text.contains("published by 127.0.0.1"))
        }
    }
}

/// Sends SRTP packets of one source.
private final class TestSender {
    /// A STAP-A with the parameter sets of x264 for 640×360.
    static let parameterSets: [UInt8] = {
        let sequence: [UInt8] = [
            0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x61, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
            0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2D, 0x96,
        ]
        let picture: [UInt8] = [0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]
        return [0x78, 0, UInt8(sequence.count)] + sequence + [0, UInt8(picture.count)] + picture
    }()

    let ssrc = SSRC(77)
    private let peer: WebRTCPeer
    private let protection: OutgoingProtection
    private var index: UInt64 = 100

    init(_ peer: WebRTCPeer) throws {
        self.peer = peer
        protection = try OutgoingProtection(try #require(peer.own), ssrc: 77)
    }

    func send(_ payload: [UInt8], timestamp: UInt32, isLast: Bool) {
        let rewriter = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 96), ssrc: ssrc,
            firstSequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: index)), timestampOffset: 0)
        let number = rewriter.nextSequenceNumber.rawValue
        let header: [UInt8] =
            [0x80, 96 | (isLast ? 0x80 : 0), UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: timestamp >> $0) } + [0, 0, 0, 77]
        var packet = header + payload + [UInt8](repeating: 0, count: protection.overhead)
        header.withUnsafeBytes { header in
            payload.withUnsafeBytes { payload in
                packet.withUnsafeMutableBytes { packet in
                    guard let start = packet.baseAddress else { return }
                    protection.seal(payload, header: header, index: index, to: start + header.count)
                }
            }
        }
        index += 1
        peer.send(packet)
    }
}
