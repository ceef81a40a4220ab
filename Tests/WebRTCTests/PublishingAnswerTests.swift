import Foundation
import Media
import RTP
import SDP
import Testing

@testable import WebRTC

@Suite struct PublishingAnswerTests {
    private func answer(_ offer: [UInt8]) throws -> PublishingAnswer {
        try PublishingAnswer(to: Offer(parsing: offer), Samples.parameters)
    }

    @Test func chromiumPublishesH264AndOpus() throws {
        let answer = try answer(Samples.offer("chromium-publishing"))
        #expect(answer.tracks.map(\.kind) == [.video, .audio] && answer.tracks.map(\.mid) == ["0", "1"])
        #expect(!answer.isSimulcastDeclined)
        let video = answer.tracks[0]
        #expect(video.description.payload == .inBand(.h264) && video.description.clockRate == .video)
        #expect(video.description.takesKeyframeRequests && video.description.repeatsLostPackets)
        #expect(video.source == SSRC(2_777_825_414) && video.takesTransportFeedback && video.takesReducedReports)
        #expect(video.feedback == ["nack", "nack pli", "ccm fir", "transport-cc"])
        let audio = answer.tracks[1]
        #expect(audio.description.payload.codec == .opus && audio.description.payloadType == 111)
        #expect(audio.source == SSRC(2_241_668_846))
    }

    /// One format and its retransmissions are answered, so the publisher sends nothing else.
    @Test func theAnswerReceivesOneFormat() throws {
        let answer = try answer(Samples.offer("chromium-publishing"))
        let description = try SessionDescription(parsing: answer.text)
        #expect(description == answer.description)
        for (medium, track) in zip(description.media, answer.tracks) {
            let types = [track.description.payloadType] + [track.retransmission?.rawValue].compactMap(\.self)
            #expect(medium.formats == types.map { "\($0)" } && medium.port == 9)
            #expect(medium.attributes.contains("recvonly") && medium.attributes.contains("rtcp-mux"))
        }
        #expect(description.values(of: "fmtp").first?.contains("packetization-mode=1") == true)
        #expect(description.attributes.value(of: "group") == "BUNDLE 0 1")
        #expect(!answer.text.contains("goog-remb"), "it is never sent")
    }

    @Test func retransmissionsAreReceivedIfTheyAreOffered() throws {
        let offer = try Samples.offer("chromium-publishing")
        let answer = try answer(offer)
        let format = answer.tracks[0].description.payloadType
        let type = try #require(answer.tracks[0].retransmission?.rawValue)
        #expect(answer.description.values(of: "rtpmap").contains("\(type) rtx/90000"))
        #expect(answer.description.values(of: "fmtp").contains("\(type) apt=\(format)"))
        #expect(answer.tracks[1].retransmission == nil)
        let others = try self.answer(offer.replacing(" rtx/", by: " other/"))
        #expect(others.tracks[0].retransmission == nil && !others.text.contains("apt="))
    }

    /// A session keeps the parameters until its client connects.
    @Test func longParametersOfAFormatAreRefused() throws {
        let offer = try Samples.offer("chromium-publishing")
        let long = "packetization-mode=1;x=" + String(repeating: "x", count: PublishedTrack.parameterLimit)
        #expect(throws: OfferError.attributeTooLong("fmtp", limit: PublishedTrack.parameterLimit)) {
            try answer(offer.replacing("packetization-mode=1", by: long))
        }
    }

    @Test func simulcastIsDeclined() throws {
        let answer = try answer(Samples.offer("chromium-simulcast"))
        #expect(answer.isSimulcastDeclined && answer.tracks.count == 1 && answer.tracks[0].source == nil)
        #expect(!answer.text.contains("simulcast") && !answer.text.contains("a=rid"))
    }

    /// FFmpeg waits for the server, and sends the only format that it offers.
    @Test func ffmpegIsAnswered() throws {
        let ffmpeg = """
            v=0\r\no=FFmpeg 4489045141692799359 2 IN IP4 127.0.0.1\r\ns=FFmpegPublishSession\r\nt=0 0\r\na=group:BUNDLE 0 1\r
            a=extmap-allow-mixed\r\na=msid-semantic: WMS\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r
            a=ice-ufrag:5d8a7a4b\r\na=ice-pwd:5d8a7a4bc0ffee5d8a7a4bc0ffee1234\r
            a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))\r\na=setup:passive\r\na=mid:0\r
            a=sendonly\r\na=msid:FFmpeg audio\r\na=rtcp-mux\r\na=rtpmap:111 opus/48000/2\r\na=ssrc:11 cname:FFmpeg\r
            m=video 9 UDP/TLS/RTP/SAVPF 106 105\r\nc=IN IP4 0.0.0.0\r\na=ice-ufrag:5d8a7a4b\r
            a=ice-pwd:5d8a7a4bc0ffee5d8a7a4bc0ffee1234\r
            a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))\r\na=setup:passive\r\na=mid:1\r
            a=sendonly\r\na=msid:FFmpeg video\r\na=rtcp-mux\r\na=rtcp-rsize\r\na=rtpmap:106 H264/90000\r
            a=fmtp:106 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42c01f\r\na=rtcp-fb:106 nack\r
            a=rtpmap:105 rtx/90000\r\na=fmtp:105 apt=106\r\na=ssrc-group:FID 12 13\r\na=ssrc:12 cname:FFmpeg\r\n
            """
        let answer = try answer([UInt8](ffmpeg.utf8))
        #expect(answer.role == .client && answer.tracks.map(\.description.payloadType) == [111, 106])
        #expect(answer.description.values(of: "setup") == ["active"])
        // FFmpeg sends lost packets again only so, and reads only requests without a report before them.
        #expect(answer.tracks[1].retransmission?.rawValue == 105 && answer.tracks[1].takesReducedReports)
        #expect(answer.description.values(of: "fmtp").last == "105 apt=106")
        #expect(answer.description.media[1].attributes.contains("rtcp-rsize"))
        #expect(
            answer.description.values(of: "candidate", in: "audio").first
                == "1 1 udp 2130706431 192.0.2.1 8189 typ host")
    }

    /// OBS offers one format of each kind, and no RTX.
    @Test(arguments: Samples.offersOfOBS)
    func obsIsAnswered(name: String) throws {
        let answer = try answer(Samples.offer(name))
        #expect(answer.role == .server && answer.tracks.map(\.mid) == ["0", "1"])
        #expect(answer.tracks.map(\.description.payloadType) == [111, 96])
        #expect(answer.tracks.map(\.source) == [SSRC(3_185_912_310), SSRC(3_185_912_311)])
        let video = answer.tracks[1].description
        #expect(video.payload == .inBand(.h264) && video.takesKeyframeRequests && video.repeatsLostPackets)
        #expect(answer.description.attributes.value(of: "group") == "BUNDLE 0 1")
        #expect(answer.description.values(of: "setup") == ["passive"])
        #expect(answer.description.values(of: "rtpmap", in: "audio") == ["111 opus/48000/2"])
    }

    private func refusal(_ offer: [UInt8]) -> OfferError? {
        do {
            _ = try answer(offer)
            return nil
        } catch let error as OfferError {
            #expect(error.status == 422)
            return error
        } catch {
            return nil
        }
    }

    @Test func thereAreNoPartialAnswers() throws {
        let offer = try Samples.offer("chromium-publishing")
        let formats = refusal(offer.replacing("opus/48000/2", by: "lyra/48000/2").replacing("PCM", by: "XCM"))
        #expect(formats?.description.hasPrefix("Opus or G.711 is needed, but the offer has ") == true)
        #expect(
            refusal(offer.replacing("H264", by: "H262"))?.description.hasPrefix(
                "H.264 or H.265 is needed, but the offer has VP8")
                == true)
        #expect(
            refusal(offer.withoutLines("a=rtcp-mux"))
                == .notMultiplexed("the offer has video without SRTP or a=rtcp-mux"))
        #expect(
            refusal(offer.replacing("sendonly", by: "recvonly"))
                == .nothingInCommon("the offer sends neither video nor audio"))
        #expect(refusal(offer.withoutLines("a=group"))?.status == 422)
        let text = String(decoding: offer, as: UTF8.self)
        let audio = try #require(text.components(separatedBy: "m=audio").last)
        let more = "m=audio\(audio)".replacingOccurrences(of: "a=mid:1", with: "a=mid:2")
        #expect(refusal(offer + more.utf8) == .tooMuch("the offer sends more than one audio track"))
    }

    @Test func g711IsReceivedIfThereIsNoOpus() throws {
        let answer = try answer(Samples.offer("chromium-publishing").replacing("opus/48000/2", by: "lyra/48000/2"))
        #expect(answer.tracks[1].description.payload.codec == .pcmu)
    }
}
