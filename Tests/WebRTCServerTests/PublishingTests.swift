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
    ///
    /// - Parameter change: changes its offer.
    private func publisher(
        of broadcast: WebRTCBroadcast, _ change: (String) -> String = { $0 }
    ) async throws -> (WebRTCPeer, String) {
        let peer = try WebRTCPeer()
        let response = try await broadcast.open(change(peer.offer("sendonly")), .publishing, "/live")
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

    /// The keyframe comes only in the stream of lost packets.
    @Test func aPacketThatIsSentAgainReachesTheStream() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (peer, _) = try await publisher(of: broadcast)
            let sender = try TestSender(peer)
            sender.send(TestSender.parameterSets, timestamp: 3_000, isLast: false)
            let lost = sender.lose()
            let keyframe = [0x65] + [UInt8](repeating: 3, count: 500)
            try TestSender(peer, ssrc: 78, payloadType: 97).send(lost + keyframe, timestamp: 3_000, isLast: true)
            #expect(await eventually(within: 10) { broadcast.live.stream.published.pictureCount >= 1 })
        }
    }

    @Test func aPublisherIsAskedForLostPackets() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (peer, _) = try await publisher(of: broadcast)
            let sender = try TestSender(peer)
            sender.send(TestSender.parameterSets, timestamp: 3_000, isLast: false)
            // A server that waits for a busy machine requests nothing, because the answer would come too late.
            #expect(
                peer.run {
                    _ = sender.lose()
                    sender.send([0x41, 4], timestamp: 6_000, isLast: true)
                    return peer.feedback.contains {
                        if case .genericNACK(let media, _) = $0 { media == sender.ssrc } else { false }
                    }
                })
        }
    }

    /// Browsers offer audio first, and a muted microphone may send nothing.
    @Test func aPublisherWithSilentAudioLearnsWhenItsPacketsArrive() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (peer, _) = try await publisher(of: broadcast) { $0.withAudioFirst }
            let sender = try TestSender(peer)
            sender.send(TestSender.parameterSets, timestamp: 3_000, isLast: false, transportNumber: 1)
            sender.send([0x65, 3], timestamp: 3_000, isLast: true, transportNumber: 2)
            #expect(
                peer.run {
                    peer.feedback.contains {
                        if case .transportWide(let media, _) = $0 { media == sender.ssrc } else { false }
                    }
                })
        }
    }

    @Test func aPublisherOfTheSameHostTakesOver() async throws {
        try await WebRTCBroadcast.run { broadcast in
            let (first, _) = try await publisher(of: broadcast)
            #expect(await eventually(within: 10) { broadcast.live.publisher != nil })
            let (second, session) = try await publisher(of: broadcast)
            #expect(first.run { first.isEnded })
            let sender = try TestSender(second)
            sender.send(TestSender.parameterSets, timestamp: 3_000, isLast: false)
            sender.send([0x65] + [UInt8](repeating: 3, count: 500), timestamp: 3_000, isLast: true)
            #expect(await eventually(within: 10) { broadcast.live.stream.published.pictureCount >= 1 })
            #expect(await broadcast.request("DELETE", session).status == 200)
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
            // Only another configuration changes that.
            #expect(response.value(of: "Retry-After") == nil)
        }
    }

    @Test func anotherPublisherIsRefusedWithTheReason() async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.live.setOverride(.never)
            _ = try await publisher(of: broadcast)
            #expect(await eventually(within: 10) { broadcast.live.publisher != nil })
            let response = try await broadcast.open(try WebRTCPeer().offer("sendonly"), .publishing, "/live")
            #expect(response.status == 409 && response.text.contains("published by 127.0.0.1"))
            #expect(response.value(of: "Retry-After") == "5")
        }
    }
}

/// The packets of one track of a publisher, in virtual time.
struct TrackPublishingTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func track(_ change: (String) -> String = { $0 }) throws -> TrackPublishing {
        let media = try Offer(parsing: Array(change(WebRTCPeer().offer("sendonly")).utf8)).media[0]
        var track = TrackPublishing(try PublishedTrack(media, media.formats[0]))
        track.begin()
        return track
    }

    private func packet(
        _ number: UInt8, _ payload: [UInt8] = [0x41, 7], type: UInt8 = 96, ssrc: UInt8 = 77
    ) -> [UInt8] {
        [0x80, type, 0, number, 0, 0, 0, 9, 0, 0, 0, ssrc] + payload
    }

    /// The same packet in the stream of lost packets.
    private func repeated(_ number: UInt8) -> [UInt8] { packet(200, [0, number, 0x41, 7], type: 97, ssrc: 78) }

    /// A track that has received these packets.
    private func track(
        receiving numbers: [UInt8], _ change: (String) -> String = { $0 }
    ) throws -> TrackPublishing {
        var track = try track(change)
        for number in numbers { _ = track.accept(packet(number).span.bytes, arrival: start) }
        return track
    }

    @Test func aLostPacketIsRequestedAndRepaired() throws {
        var track = try track(receiving: [1, 2, 4])
        #expect(track.statistics.cumulativeLost == 1)
        let due = track.nextRequest
        let bytes = track.retransmissionRequest(from: SSRC(9), canonicalName: "apus", at: due)
        let lost = Feedback.LostPackets(first: SequenceNumber(3))
        let request = Feedback(sender: SSRC(9), request: .genericNACK(media: SSRC(77), [lost]))
        // FFmpeg ignores a datagram that begins with a report, or that has a second packet.
        #expect(bytes == Compound([.feedback(request)]).encoded())
        #expect(track.isRetransmission(PayloadType(lowBitsOf: 97)))
        let original = track.original(in: repeated(3).span.bytes)
        #expect(original == packet(3))
        let accepted = track.accept(packet(3).span.bytes, arrival: due)
        #expect(accepted?.header.sequenceNumber == SequenceNumber(3) && track.statistics.cumulativeLost == 0)
        #expect(track.statistics.reorderedCount == 0, "a repair says nothing about the network's order")
    }

    @Test func feedbackFollowsAReportUnlessTheOfferHasReducedSize() throws {
        var track = try track(receiving: [1, 2, 4]) { $0.replacing("a=rtcp-rsize\r\n", with: "") }
        let due = track.nextRequest
        let requests = [
            track.retransmissionRequest(from: SSRC(9), canonicalName: "apus", at: due),
            track.keyframeRequest(from: SSRC(9), canonicalName: "apus", at: due),
        ]
        for request in requests {
            let bytes = try #require(request)
            let packets = try Compound(parsing: bytes.span.bytes).packets
            #expect(packets.count == 3 && packets[0] == .receiverReport(ReceiverReport(ssrc: SSRC(9))))
        }
        var reduced = try self.track(receiving: [1])
        let request = reduced.keyframeRequest(from: SSRC(9), canonicalName: "apus", at: due)
        let feedback = Feedback(sender: SSRC(9), request: .pictureLossIndication(media: SSRC(77)))
        #expect(request == Compound([.feedback(feedback)]).encoded())
        #expect(reduced.keyframeRequest(from: SSRC(9), canonicalName: "apus", at: due) == nil, "one in 300 ms")
    }

    /// Browsers measure the path with packets that have come already, and with padding.
    @Test func whatHasComeIsNotTakenAgain() throws {
        let track = try track(receiving: [1, 2, 4])
        for number: UInt8 in [0, 1, 2, 4] {
            let original = track.original(in: repeated(number).span.bytes)
            #expect(original == nil, "\(number)")
        }
        let next = track.original(in: repeated(5).span.bytes)
        #expect(next == packet(5))
        let padding = track.original(in: packet(200, [], type: 97, ssrc: 78).span.bytes)
        #expect(padding == nil)
        let new = try self.track()
        #expect(!new.isRetransmission(PayloadType(lowBitsOf: 97)), "nothing is lost before the first packet")
    }

    @Test func receivedNumbersAreKnownAlsoAfterTheyWrap() {
        var numbers = ReceivedNumbers()
        #expect(numbers.lacks(SequenceNumber(65_530)))
        for number: UInt16 in [65_530, 65_534, 3] { numbers.insert(SequenceNumber(number)) }
        #expect([65_530, 65_534, 3, 65_529].allSatisfy { !numbers.lacks(SequenceNumber($0)) })
        #expect([65_531, 65_535, 0, 2, 4].allSatisfy { numbers.lacks(SequenceNumber($0)) })
        numbers.insert(SequenceNumber(0))
        #expect(!numbers.lacks(SequenceNumber(0)) && numbers.lacks(SequenceNumber(1)))
        // Those that are too old are not taken.
        numbers.insert(SequenceNumber(1_000))
        #expect(!numbers.lacks(SequenceNumber(65_500)) && numbers.lacks(SequenceNumber(65_531)))
        numbers.insert(SequenceNumber(1_020))
        #expect(!numbers.lacks(SequenceNumber(65_531)))
        // The sender has begun anew.
        numbers.insert(SequenceNumber(30_000))
        #expect(!numbers.lacks(SequenceNumber(29_999)) && numbers.lacks(SequenceNumber(30_001)))
    }
}

extension WebRTCPeer {
    /// The requests that have come.
    fileprivate var feedback: [Feedback.Request] {
        reports.compactMap { if case .feedback(let feedback) = $0 { feedback.request } else { nil } }
    }
}

extension String {
    /// The offer with a medium of audio before that of video, and with the same transport.
    fileprivate var withAudioFirst: String {
        let transport = ["a=ice-ufrag", "a=ice-pwd", "a=fingerprint", "a=setup"]
        let lines = split(separator: "\r\n").filter { line in transport.contains { line.hasPrefix($0) } }
        let audio =
            ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0"] + lines.map { "\($0)" }
            + ["a=mid:1", "a=sendonly", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2"]
        return replacing("a=group:BUNDLE 0", with: "a=group:BUNDLE 1 0")
            .replacing("m=video", with: audio.joined(separator: "\r\n") + "\r\nm=video")
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

    let ssrc: SSRC
    private let peer: WebRTCPeer
    private let payloadType: UInt8
    private let protection: OutgoingProtection
    private var index: UInt64 = 100

    init(_ peer: WebRTCPeer, ssrc: UInt8 = 77, payloadType: UInt8 = 96) throws {
        (self.peer, self.ssrc, self.payloadType) = (peer, SSRC(UInt32(ssrc)), payloadType)
        protection = try OutgoingProtection(try #require(peer.own), ssrc: UInt32(ssrc))
    }

    /// Does not send the next packet.
    ///
    /// - Returns: the bytes of its sequence number.
    func lose() -> [UInt8] {
        defer { index += 1 }
        return number
    }

    /// The bytes of the next sequence number.
    private var number: [UInt8] { [UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)] }

    /// - Parameter transportNumber: the number of the packet for transport-wide feedback, in the extension 5.
    func send(_ payload: [UInt8], timestamp: UInt32, isLast: Bool, transportNumber: UInt8? = nil) {
        var header: [UInt8] =
            [transportNumber == nil ? 0x80 : 0x90, payloadType | (isLast ? 0x80 : 0)] + number
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: timestamp >> $0) }
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ssrc.rawValue >> $0) }
        if let transportNumber { header += [0xBE, 0xDE, 0, 1, 0x51, 0, transportNumber, 0] }
        peer.send(protection.sealed(payload, header: header, index: index))
        index += 1
    }
}
