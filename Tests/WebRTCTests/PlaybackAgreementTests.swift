import Media
import RTP
import SDP
import Testing

@testable import WebRTC

/// A player's offer, and what it makes of answers.
@Suite struct PlaybackAgreementTests {
    private let offer = PlaybackOffer(
        credentials: ICECredentials(random: [UInt8](repeating: 4, count: ICECredentials.randomByteCount)),
        fingerprint: DTLSFingerprint(sha256: [UInt8](repeating: 5, count: 32)), sessionID: .max)
    private let high = Samples.h264(0x640028)

    private var offered: [UInt8] { Array(offer.text.utf8) }

    /// Our server's answer.
    private func answer(_ tracks: [Track]) throws -> [UInt8] {
        Array(try Samples.playback(of: tracks, to: offered).text.utf8)
    }

    private func agreement(_ answer: [UInt8]) throws(AnswerError) -> PlaybackAgreement {
        try PlaybackAgreement(ReceivedAnswer(parsing: answer), to: offer)
    }

    private func error(_ answer: [UInt8]) -> AnswerError? {
        do throws(AnswerError) {
            _ = try agreement(answer)
            return nil
        } catch {
            return error
        }
    }

    @Test func theOfferIsReadAsItIsMeant() throws {
        let read = try Offer(parsing: offered)
        #expect(read.credentials == offer.credentials && read.role == .server)
        #expect(read.fingerprints == [DTLSFingerprint(sha256: [UInt8](repeating: 5, count: 32))])
        #expect(read.media.map(\.kind) == [.video, .audio] && read.media.map(\.mid) == ["0", "1"])
        #expect(read.media.allSatisfy { $0.direction == .receiveOnly && $0.multiplexesReports && $0.reducesReports })
        #expect(read.areBundled(read.media[0], read.media[1]))
        #expect(read.media[0].formats.map(\.map.encodingName) == ["H264", "H264", "H264", "H265", "H265"])
        #expect(read.media[0].formats.map(\.h264Profile).prefix(3) == [.constrainedBaseline, .main, .high])
        #expect(read.media[0].formats.allSatisfy { $0.retransmission == $0.payloadType + 1 })
        #expect(read.media[1].formats.map(\.payloadType) == [111, 8, 0])
        #expect(try SessionDescription(parsing: offer.text) == offer.description)
    }

    @Test func ourServersAnswerIsReadAsItIsMeant() throws {
        let bytes = try answer([high, Samples.opus])
        let received = try ReceivedAnswer(parsing: bytes)
        #expect(received.credentials == Samples.parameters.credentials)
        #expect(received.fingerprint == Samples.parameters.fingerprint.digest && received.role == .client)
        #expect(received.candidates.map(\.address) == ["192.0.2.1", "2001:db8::1"])
        #expect(received.candidates.map(\.port) == [8_189, 8_189])
        let agreement = try agreement(bytes)
        #expect(agreement.description.media.map(\.kind) == ["video", "audio"])
        let (video, audio) = (agreement.tracks[0], agreement.tracks[1])
        // High has payload type 100.
        #expect(video.track.description.payloadType == 100 && video.retransmission?.rawValue == 101)
        #expect(video.track.description.payload.codec == .h264 && video.track.source == SSRC(1))
        #expect(video.track.description.repeatsLostPackets && video.track.description.takesKeyframeRequests)
        #expect(video.track.takesTransportFeedback)
        #expect(audio.track.description.payload.codec == .opus && audio.retransmission == nil)
        #expect(!audio.track.takesTransportFeedback)
    }

    @Test func aRejectedMediumIsNoTrack() throws {
        let agreement = try agreement(answer([Samples.opus]))
        #expect(agreement.tracks.map(\.track.kind) == [.audio])
        #expect(agreement.description.media.map(\.kind) == ["audio"])
    }

    @Test func everyFormatOfOurServerIsAgreed() throws {
        for (track, codec) in [(high, Codec.h264), (Samples.h264(0x42C01F), .h264), (Samples.h265, .h265)] {
            #expect(try agreement(answer([track])).tracks.map(\.track.description.payload.codec) == [codec])
        }
    }

    @Test func anUnusableAnswerIsRefusedWithTheReason() throws {
        let good = try answer([high, Samples.opus])
        let cases: [([UInt8], String)] = [
            (Array("<html>".utf8), "the answer is malformed: "),
            ([UInt8](repeating: 0x61, count: Offer.byteLimit + 1), "the answer has 32769 bytes, more than 32768"),
            (good.replacing("a=ice-pwd", by: "a=x"), "the answer has no valid a=ice-ufrag and a=ice-pwd"),
            (
                good.replacing("a=fingerprint:sha-256", by: "a=fingerprint:sha-1"),
                "the answer has no valid a=fingerprint with SHA-256, SHA-384 or SHA-512"
            ),
            (good.replacing("a=setup:passive", by: "a=setup:holdconn"), "the answer has no valid a=setup"),
            (good.replacing("a=sendonly", by: "a=inactive"), "the answer sends neither video nor audio"),
            (good.replacing("a=rtcp-mux", by: "a=x"), "the answer has video without SRTP or a=rtcp-mux"),
            (good.replacing("UDP/TLS/RTP/SAVPF", by: "RTP/AVPF"), "the answer has video without SRTP or a=rtcp-mux"),
            (
                good.replacing("H264/90000", by: "VP8/90000"),
                "the answer has video in a format that was not offered: VP8"
            ),
            (good.replacing("m=audio", by: "m=video"), "the answer has video in place of audio"),
        ]
        for (answer, reason) in cases {
            let text = error(answer)?.description ?? "none"
            #expect(text.hasPrefix(reason), "\(text)")
        }
        let media = good.replacing("\r\nm=audio", by: "\r\nm=video 0 x 1\r\nm=audio")
        #expect(error(media) == .unusable("the answer has 3 media for the 2 of the offer"))
    }

    @Test func candidatesOverUDPAreSorted() throws {
        let lines = (1...20).map { "a=candidate:1 1 UDP \($0) 10.0.0.\($0) 5000 typ host\r\n" }.joined()
        let others = """
            a=candidate:1 1 tcp 900 10.0.1.1 9 typ host tcptype active\r
            a=candidate:1 2 udp 900 10.0.1.2 5001 typ host\r
            a=candidate:1 1 udp 900 10.0.1.3 0 typ host\r
            a=candidate:1 1 udp x 10.0.1.4 5001 typ host\r
            a=candidate:1 1 udp 900\r
            a=candidate:2 1 udp 30 name.local 5002 typ srflx raddr 0.0.0.0 rport 0\r

            """
        let answer = try answer([high]).replacing("a=end-of-candidates\r\n", by: lines + others)
        let candidates = try ReceivedAnswer(parsing: answer).candidates
        #expect(candidates.count == 23)
        #expect(candidates.map(\.address).prefix(4) == ["192.0.2.1", "2001:db8::1", "name.local", "10.0.0.20"])
        #expect(candidates.map(\.priority) == candidates.map(\.priority).sorted(by: >))
    }
}
