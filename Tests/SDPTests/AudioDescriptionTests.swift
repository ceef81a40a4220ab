import Media
import Testing

@testable import SDP

@Suite struct AudioDescriptionTests {
    private func medium(_ lines: String...) throws -> MediaDescription {
        let text = "v=0\n" + lines.map { $0 + "\n" }.joined()
        return try #require(try SessionDescription(parsing: text).media.first)
    }

    private static let telephony = ClockRate(hertz: 8_000)!

    /// What devices describe, and the same after it was written here.
    @Test(
        arguments: [
            (["m=audio 0 RTP/AVP 96", "a=rtpmap:96 opus/48000/2"], .opus(channelCount: 2), "opus/48000/2"),
            (
                ["m=audio 0 RTP/AVP 96", "a=rtpmap:96 OPUS/48000/2", "a=fmtp:96 sprop-stereo=0;useinbandfec=1"],
                .opus(channelCount: 1), "opus/48000/2"
            ),
            // The wrong clock rate of some cameras.
            (["m=audio 0 RTP/AVP 96", "a=rtpmap:96 opus/16000"], .opus(channelCount: 2), "opus/48000/2"),
            (["m=audio 0 RTP/AVP 8"], .g711(G711(.a, sampleRate: telephony, channelCount: 1)!), "PCMA/8000"),
            (["m=audio 0 RTP/AVP 0"], .g711(G711(.mu, sampleRate: telephony, channelCount: 1)!), "PCMU/8000"),
            (
                ["m=audio 0 RTP/AVP 97", "a=rtpmap:97 pcmu/48000/2"],
                .g711(G711(.mu, sampleRate: .audio48k, channelCount: 2)!), "PCMU/48000/2"
            ),
        ] as [([String], Track.Format, String)])
    func audioOfDevicesIsReadAndWritten(lines: [String], format: Track.Format, map: String) throws {
        let text = "v=0\n" + lines.map { $0 + "\n" }.joined()
        let described = try #require(try SessionDescription(parsing: text).media.first?.describedTrack)
        #expect(described.payload == .described(format))
        let track = try #require(described.track(id: TrackID(0)))
        #expect(track.clockRate == format.clockRate)
        let description = SessionDescription.live(
            title: "t", description: nil, tracks: [track], connection: .unspecified(ipVersion: .ipv4),
            originSessionID: 1, originVersion: 1, originAddress: "127.0.0.1", controls: true)
        let medium = try #require(description.media.first)
        #expect(medium.attributes.values(of: "rtpmap").first == "96 \(map)")
        #expect(medium.describedTrack?.track(id: TrackID(0)) == track)
        #expect(medium.attributes.values(of: "fmtp").allSatisfy { !$0.hasSuffix(" ") })
    }

    /// Audio that is encoded again, from cameras and ffmpeg.
    @Test(
        arguments: [
            (["m=audio 0 RTP/AVP 9"], .g722), (["m=audio 0 RTP/AVP 9", "a=rtpmap:9 G722/8000/1"], .g722),
            (["m=audio 0 RTP/AVP 97", "a=rtpmap:97 g722/8000"], .g722),
            // Nothing tells the rate of its timestamps.
            (["m=audio 0 RTP/AVP 97", "a=rtpmap:97 G722/16000"], nil),
            (["m=audio 0 RTP/AVP 10"], .l16(sampleRate: ClockRate(hertz: 44_100)!, channelCount: 2)),
            (["m=audio 0 RTP/AVP 11"], .l16(sampleRate: ClockRate(hertz: 44_100)!, channelCount: 1)),
            (
                ["m=audio 0 RTP/AVP 96", "a=rtpmap:96 L16/48000/2"],
                .l16(sampleRate: .audio48k, channelCount: 2)
            ),
            (["m=audio 0 RTP/AVP 96", "a=rtpmap:96 L16/8000"], .l16(sampleRate: telephony, channelCount: 1)),
            (["m=audio 0 RTP/AVP 96", "a=rtpmap:96 L16/8000/9"], nil),
            (["m=audio 0 RTP/AVP 96", "a=rtpmap:96 L16/1/1"], nil),
        ] as [([String], TranscodedFormat.Audio?)])
    func audioThatViewersDoNotReceiveIsRead(lines: [String], format: TranscodedFormat.Audio?) throws {
        let text = "v=0\n" + lines.map { $0 + "\n" }.joined()
        let described = try #require(try SessionDescription(parsing: text).media.first?.describedTrack)
        #expect(described.payload == format.map { .transcoded(.audio($0)) } ?? .unknown)
        #expect(described.track(id: TrackID(0)) == nil)
        if let format { #expect(described.clockRate == TranscodedFormat.audio(format).clockRate) }
    }

    /// JPEG by its static type, and GStreamer's and cameras' descriptions of large frames.
    @Test(
        arguments: [
            (["m=video 0 RTP/AVP 26"], nil), (["m=video 0 RTP/AVP 96", "a=rtpmap:96 jpeg/90000"], nil),
            (["m=video 0 RTP/AVP 26", "a=x-dimensions:2592,1944"], (2_592, 1_944)),
            (["m=video 0 RTP/AVP 26", "a=x-dimensions: 3840, 2160"], (3_840, 2_160)),
            (["m=video 0 RTP/AVP 26", "a=x-dimensions:99999,1"], nil),
            (["m=video 0 RTP/AVP 26", "a=x-dimensions:5"], nil),
        ] as [([String], (Int, Int)?)])
    func motionJPEGIsRead(lines: [String], size: (Int, Int)?) throws {
        let text = "v=0\n" + lines.map { $0 + "\n" }.joined()
        let described = try #require(try SessionDescription(parsing: text).media.first?.describedTrack)
        let expected = size.flatMap { TranscodedFormat.PixelSize(width: $0.0, height: $0.1) }
        #expect(described.payload == .transcoded(.motionJPEG(size: expected)))
        #expect(described.clockRate == .video)
    }

    /// From ffmpeg and GStreamer.
    @Test(arguments: [
        ("MP4A-LATM/48000/1", "profile-level-id=41;cpresent=0;config=400023103fc0", "1188"),
        ("MP4A-LATM/48000", "cpresent=0;config=40002310adca00", "118856E500"),
    ])
    func latmIsAnnouncedAsAAC(map: String, parameters: String, specific: String) throws {
        let described = try #require(
            try medium("m=audio 0 RTP/AVP 96", "a=rtpmap:96 \(map)", "a=fmtp:96 \(parameters)").describedTrack)
        let configuration = try #require(AAC.AudioSpecificConfig(parsing: Hexadecimal.decode(specific[...]) ?? []))
        #expect(described.track(id: TrackID(0)) == Track(id: TrackID(0), format: .aac(configuration)))
        guard case .latm = described.payload else {
            Issue.record("\(described.payload)")
            return
        }
    }

    @Test func otherFormsOfLATMAreRefusedByName() throws {
        for (parameters, name) in [
            ("config=400023103fc0", "MP4A-LATM with cpresent=1"), ("cpresent=1", "MP4A-LATM with cpresent=1"),
            ("cpresent=0;config=40", "MP4A-LATM with this config"), ("cpresent=0", "MP4A-LATM with this config"),
        ] {
            let described = try medium(
                "m=audio 0 RTP/AVP 96", "a=rtpmap:96 MP4A-LATM/48000", "a=fmtp:96 \(parameters)"
            ).describedTrack
            #expect(described?.name == name)
        }
    }
}
