import Media
import RTP
import SDP
import Testing

@testable import WebRTC

@Suite struct PlaybackAnswerTests {
    private let high = Samples.h264(0x640028)

    @Test func chromiumGetsVideoAndAudioInItsNumbers() throws {
        let answer = try Samples.playback(of: [high, Samples.opus], to: Samples.offer("chromium-playback"))
        #expect(answer.role == .server && answer.omissions.isEmpty)
        #expect(answer.tracks.map(\.payloadType.rawValue) == [108, 111] && answer.tracks.map(\.mid) == ["0", "1"])
        let video = answer.tracks[0]
        #expect(video.ssrc == SSRC(1) && video.retransmission?.ssrc == SSRC(2))
        #expect(video.retransmission?.payloadType.rawValue == 109)
        #expect(video.extensions.mid == 9 && video.extensions.transportSequenceNumber == 4)
        #expect(video.extensions.playoutDelay == 5 && video.extensions.absoluteCaptureTime == 13)
        #expect(video.takesNACK && video.takesTransportFeedback && video.reportsReceiverTime)
        let audio = answer.tracks[1]
        #expect(audio.ssrc == SSRC(3) && audio.retransmission == nil)
        #expect(audio.extensions.mid == 9 && audio.extensions.transportSequenceNumber == nil)
        #expect(!audio.takesTransportFeedback)
    }

    /// High is announced in the form that the browser accepts.
    @Test func theAnswerRepeatsTheOfferedProfile() throws {
        let answer = try Samples.playback(of: [high], to: Samples.offer("chromium-playback")).description
        #expect(
            answer.values(of: "fmtp") == [
                "108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f", "109 apt=108",
            ])
        #expect(answer.values(of: "rtpmap") == ["108 H264/90000", "109 rtx/90000"])
    }

    @Test func theAnswerHasTheFormThatBrowsersNeed() throws {
        let offer = try Samples.offer("chromium-playback")
        let answer = try Samples.playback(of: [high, Samples.opus], to: offer)
        let description = try SessionDescription(parsing: answer.text)
        #expect(description == answer.description)
        #expect(description.attributes.contains("ice-lite"))
        #expect(description.attributes.value(of: "group") == "BUNDLE 0 1")
        for medium in description.media {
            #expect(medium.attributes.contains("sendonly") && medium.attributes.contains("rtcp-mux"))
            #expect(medium.attributes.contains("rtcp-rsize"))
            #expect(medium.attributes.value(of: "rtcp-xr") == "rcvr-rtt=all")
            #expect(medium.attributes.value(of: "setup") == "passive")
            #expect(medium.attributes.value(of: "ice-ufrag") == Samples.parameters.credentials.userFragment)
        }
        // One stream.
        #expect(description.values(of: "msid") == ["apus video"])
        #expect(description.values(of: "msid", in: "audio") == ["apus audio"])
        #expect(
            description.values(of: "rtcp-fb")
                == ["nack", "nack pli", "ccm fir", "goog-remb", "transport-cc"].map { "108 \($0)" })
        #expect(description.values(of: "rtcp-fb", in: "audio") == [])
        #expect(
            description.values(of: "fmtp", in: "audio") == ["111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1"])
    }

    /// Chromium plays nothing if it reads the source of the retransmissions first.
    @Test func theSourceOfTheMediaComesFirst() throws {
        let answer = try Samples.playback(of: [high], to: Samples.offer("chromium-playback")).description
        #expect(answer.values(of: "ssrc-group") == ["FID 1 2"])
        #expect(answer.values(of: "ssrc").map { $0.fields.first } == ["1", "1", "2", "2"])
        let names = answer.media[0].attributes.map(\.name)
        #expect(try #require(names.firstIndex(of: "ssrc-group")) < #require(names.firstIndex(of: "ssrc")))
    }

    @Test func allCandidatesAreInTheAnswer() throws {
        let answer = try Samples.playback(of: [high, Samples.opus], to: Samples.offer("chromium-playback")).description
        #expect(
            answer.values(of: "candidate") == [
                "1 1 udp 2130706431 192.0.2.1 8189 typ host",
                "2 1 tcp 2122317823 192.0.2.1 8189 typ host tcptype passive",
                "3 1 udp 2130706175 2001:db8::1 8189 typ host",
            ])
        #expect(answer.media[0].attributes.contains("end-of-candidates"))
        #expect(answer.values(of: "candidate", in: "audio") == [])
    }

    @Test func aiortcGetsWhatItOffers() throws {
        let answer = try Samples.playback(of: [high, Samples.opus], to: Samples.offer("aiortc-playback"))
        #expect(answer.tracks.map(\.payloadType.rawValue) == [101, 96])
        #expect(answer.tracks[0].retransmission?.payloadType.rawValue == 102)
        #expect(!answer.tracks[0].takesTransportFeedback && answer.tracks[0].extensions.playoutDelay == nil)
        #expect(!answer.tracks[0].reportsReceiverTime)
    }

    /// A rejected medium in the bundle keeps Firefox from playing.
    @Test func aRejectedMediumIsOutsideTheBundle() throws {
        let answer = try Samples.playback(of: [high, Samples.aac], to: Samples.offer("chromium-playback"))
        #expect(answer.tracks.map(\.id) == [TrackID(0)])
        #expect(answer.description.attributes.value(of: "group") == "BUNDLE 0")
        let audio = answer.description.media[1]
        #expect(audio.port == 0 && audio.kind == "audio" && audio.attributes.value(of: "mid") == "1")
        #expect(answer.omissions == ["the stream has AAC 48000 Hz stereo, which this browser did not offer"])
    }

    /// Chromium has its transport at the first medium, and refuses an answer that rejects it.
    @Test func theFirstMediumOfTheBundleCarriesTheTransport() throws {
        let answer = try Samples.playback(of: [Samples.opus], to: Samples.offer("chromium-playback"))
        #expect(answer.tracks.map(\.mid) == ["1"])
        #expect(answer.description.attributes.value(of: "group") == "BUNDLE 0 1")
        let video = answer.description.media[0]
        #expect(video.port == 9 && video.attributes.contains("inactive") && !video.attributes.contains("sendonly"))
        #expect(answer.description.values(of: "candidate").count == 3)
        #expect(answer.description.values(of: "candidate", in: "audio") == [])
    }

    /// aiortc wants them.
    @Test func aRejectedMediumHasCredentials() throws {
        let answer = try Samples.playback(of: [high], to: Samples.offer("aiortc-playback")).description
        let audio = answer.media[1].attributes
        #expect(answer.media[1].port == 0 && audio.contains("rtcp-mux"))
        #expect(audio.value(of: "ice-ufrag") == Samples.parameters.credentials.userFragment)
    }

    @Test func g711IsSentAsItIs() throws {
        let answer = try Samples.playback(of: [Samples.pcmu], to: Samples.offer("chromium-playback"))
        #expect(answer.tracks.map(\.payloadType.rawValue) == [0])
    }

    @Test func optionsLeaveOutExtensions() throws {
        let options = PlaybackAnswer.Options(playoutDelay: false, captureTime: false)
        let answer = try Samples.playback(of: [high], to: Samples.offer("chromium-playback"), options: options)
        let extensions = answer.tracks[0].extensions
        #expect(extensions.playoutDelay == nil && extensions.absoluteCaptureTime == nil && extensions.mid == 9)
        #expect(answer.description.media[0].extensionMaps.map(\.identifier) == [9, 4])
    }

    @Test func reportsOfArrivalAreLeftOut() throws {
        let options = PlaybackAnswer.Options(arrivalReports: false)
        let answer = try Samples.playback(of: [high], to: Samples.offer("chromium-playback"), options: options)
        #expect(!answer.tracks[0].takesTransportFeedback && answer.tracks[0].takesNACK)
        #expect(answer.tracks[0].extensions.transportSequenceNumber == nil)
        #expect(!answer.text.contains("transport-cc") && !answer.text.contains("transport-wide-cc"))
    }

    @Test(
        arguments: [
            (0x42C01F, 108), (0x42001F, 102), (0x4D001F, 116), (0x64001F, 108), (0x640C1F, 108), (0xF4001F, 41),
        ] as [(UInt32, UInt8)])
    func theNearestProfileIsChosen(profile: UInt32, payloadType: UInt8) throws {
        let answer = try Samples.playback(of: [Samples.h264(profile)], to: Samples.offer("chromium-playback"))
        #expect(answer.tracks.map(\.payloadType.rawValue) == [payloadType])
    }

    @Test func highIsPreferredIfItIsOffered() throws {
        let offer = try Samples.offer("chromium-playback").replacing("4d001f", by: "640028")
        #expect(try Samples.playback(of: [high], to: offer).tracks[0].payloadType.rawValue == 116)
    }

    @Test func h265IsSentToBrowsersThatOfferIt() throws {
        let offer = try Samples.offer("chromium-playback").replacing("102 H264/90000", by: "102 H265/90000")
            .replacing(
                "fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f",
                by: "fmtp:102 level-id=93;profile-id=1;tier-flag=0;tx-mode=SRST")
        let answer = try Samples.playback(of: [Samples.h265], to: offer)
        #expect(answer.tracks[0].payloadType.rawValue == 102)
        #expect(answer.description.values(of: "fmtp").first == "102 level-id=93;profile-id=1;tier-flag=0;tx-mode=SRST")
        let main10 = offer.replacing("profile-id=1;tier", by: "profile-id=2;tier")
        #expect(reason(of: [Samples.h265], main10) == "this browser did not offer the H.265 profile of the stream, 1")
    }

    private func reason(
        of tracks: [Track], _ offer: [UInt8], options: PlaybackAnswer.Options = .init()
    ) -> String? {
        do {
            _ = try Samples.playback(of: tracks, to: offer, options: options)
            return nil
        } catch let error as OfferError {
            #expect(error.status == 422)
            return error.description
        } catch {
            return nil
        }
    }

    @Test func refusalsSayWhy() throws {
        let offer = try Samples.offer("chromium-playback")
        #expect(
            reason(of: [Samples.h265, Samples.opus], offer) == "the stream has H.265, which this browser did not offer")
        #expect(
            reason(of: [Samples.h264WithBFrames, Samples.opus], offer)
                == "the stream has H.264 with B-frames, which browsers do not decode over WebRTC; "
                + "a substream (source: stream:PATH) is encoded without them")
        #expect(
            reason(of: [Samples.h265WithBFrames], offer.replacing("H264", by: "H265"))
                == "the stream has H.265 with B-frames, which browsers do not decode over WebRTC; "
                + "a substream (source: stream:PATH) is encoded without them")
        #expect(
            reason(of: [Samples.h264(0x6E001F)], offer)
                == "the stream has H.264 with profile 110, which browsers do not receive")
        #expect(
            reason(of: [high], offer.replacing("packetization-mode=1", by: "packetization-mode=0"))
                == "this browser did not offer H.264 with packetization-mode=1")
        #expect(
            reason(of: [Samples.aac], offer) == "the stream has AAC 48000 Hz stereo, which this browser did not offer")
        #expect(reason(of: [], offer) == "the stream has no tracks")
        #expect(
            reason(of: [high], offer.withoutLines("a=rtcp-mux"))
                == "the stream has H.264, but the offer asks for neither video in SRTP with a=rtcp-mux")
        #expect(
            reason(of: [high], offer.replacing("recvonly", by: "sendonly"))
                == "the stream has H.264, but the offer asks for neither video in SRTP with a=rtcp-mux")
    }

    /// The parameter sets of `high` tell nothing of B-frames, but the times of its frames do.
    @Test func aTrackWhoseFramesComeOutOfOrderIsRefused() throws {
        let offer = try Samples.offer("chromium-playback")
        let options = PlaybackAnswer.Options(reorderedTracks: [high.id])
        #expect(
            reason(of: [high, Samples.opus], offer, options: options)
                == "the stream has H.264 with B-frames, which browsers do not decode over WebRTC; "
                + "a substream (source: stream:PATH) is encoded without them")
        // What the browser does not offer is named first, because a substream in this codec would not help.
        #expect(
            reason(of: [Samples.h265], offer, options: options)
                == "the stream has H.265, which this browser did not offer")
    }

    @Test func anotherTrackIsSentInPlaceOfOneOutOfOrder() throws {
        let tracks = [high, Samples.h264(0x42C01F, id: 5)]
        let answer = try Samples.playback(
            of: tracks, to: Samples.offer("chromium-playback"), options: .init(reorderedTracks: [high.id]))
        #expect(answer.tracks.map(\.id) == [TrackID(5)])
    }

    @Test func audioOnATransportOfItsOwnIsLeftOut() throws {
        let offer = try Samples.offer("chromium-playback").withoutLines("a=group")
        let answer = try Samples.playback(of: [high, Samples.opus], to: offer)
        #expect(answer.tracks.map(\.id) == [TrackID(0)])
        #expect(answer.omissions == ["the offer does not send all media over one transport (a=group:BUNDLE)"])
    }

    @Test func dataChannelsAreRejected() throws {
        let application =
            "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=mid:2\r\na=sctp-port:5000\r\n"
        let offer =
            try Samples.offer("chromium-playback").replacing("BUNDLE 0 1", by: "BUNDLE 0 1 2") + application.utf8
        let answer = try Samples.playback(of: [high], to: offer).description
        #expect(answer.media.count == 3 && answer.media[2].port == 0)
        #expect(answer.media[2].formats == ["webrtc-datachannel"])
    }

    @Test func playoutDelaysAreTwelveBitsEach() {
        #expect(PlayoutDelay(minimumMilliseconds: 0, maximumMilliseconds: 0)?.value == 0)
        #expect(PlayoutDelay(minimumMilliseconds: 20, maximumMilliseconds: 40_950)?.value == 0x002FFF)
        #expect(PlayoutDelay(minimumMilliseconds: 20, maximumMilliseconds: 10) == nil)
        #expect(PlayoutDelay(minimumMilliseconds: 0, maximumMilliseconds: 40_960) == nil)
    }
}
