import Media
import Testing

@testable import SDP

/// Descriptions that Apus writes, compared byte for byte with `sdp/ours`.
@Suite struct WriterTests {
    @Test func theTestCardIsDescribedForRTSP() throws {
        let description = SessionDescription.live(
            title: "Test card", description: "Moving picture, clock and beep", tracks: try [video(), audio("1190")],
            connection: .unspecified(ipVersion: .ipv4), originSessionID: 81_985_529_216_486_895, originVersion: 1,
            originAddress: "192.168.1.20", controls: true)
        #expect(try Array(description.text.utf8) == GoldenFiles.bytes("ours/testcard.sdp"))
    }

    @Test func theConfigurationOfSurroundAudioIsKept() throws {
        let picture = try video(
            "4D4028", sequence: "Z01AKOygPAET8uAiAAADAAIAAAMAZB4wYyw=", picture: "aOvjyyA=")
        let description = SessionDescription.live(
            title: "film.mp4", description: nil, tracks: try [picture, audio("11B056E500")],
            connection: .unspecified(ipVersion: .ipv4), originSessionID: 81_985_529_216_486_895, originVersion: 1,
            originAddress: "192.168.1.20", controls: true)
        #expect(try Array(description.text.utf8) == GoldenFiles.bytes("ours/file-surround.sdp"))
    }

    @Test func videoWithoutAudioIsDescribedForIPv6WithFeedback() throws {
        let picture = try video(
            "42C016", sequence: "Z0LAFtkAoC/5cBEAAAMAAQAAAwAeDxYuSA==", picture: "aMuDyyA=")
        let description = SessionDescription.live(
            title: "cam", description: nil, tracks: [picture], connection: .unspecified(ipVersion: .ipv6),
            originSessionID: 81_985_529_216_486_895, originVersion: 1, originAddress: "fd00::20", controls: true,
            feedback: .retransmission)
        #expect(try Array(description.text.utf8) == GoldenFiles.bytes("ours/pipe-video-only.sdp"))
    }

    @Test(arguments: [("239.64.1.1", "ours/multicast.sdp"), ("ff15::4001", "ours/multicast-ipv6.sdp")])
    func aMulticastGroupIsDescribedWithoutRTSP(group: String, file: String) throws {
        let description = SessionDescription.live(
            title: "Test card", description: nil, tracks: try [video(), audio("1190")],
            connection: .multicast(group: group, timeToLive: 16, ports: [5004, 5006]),
            originSessionID: 81_985_529_216_486_895, originVersion: 1, originAddress: "192.168.1.20", controls: false)
        #expect(try Array(description.text.utf8) == GoldenFiles.bytes(file))
    }

    @Test func tracksWithKeysUseSRTP() throws {
        let description = SessionDescription.live(
            title: "cam", description: nil, tracks: try [video(), audio("1190")],
            connection: .unspecified(ipVersion: .ipv4), originSessionID: 1, originVersion: 1,
            originAddress: "192.168.1.20", controls: true, keys: ["mikey AQAF", "mikey AQAG"])
        #expect(description.media.map(\.transport) == ["RTP/SAVP", "RTP/SAVP"])
        #expect(description.media.map { $0.attributes.value(of: "key-mgmt") } == ["mikey AQAF", "mikey AQAG"])
        #expect(description.media.allSatisfy { $0.describedTrack != nil })
    }

    @Test func aTitleCannotStartALine() throws {
        let description = SessionDescription(name: "cam\r\nm=video 1 RTP/AVP 96", information: "a\0b\nc")
        #expect(description.text.contains("s=cam  m=video 1 RTP/AVP 96\r\n"))
        #expect(description.text.contains("i=a b c\r\n"))
        #expect(try SessionDescription(parsing: description.text).media.isEmpty)
    }

    @Test func anEmptyTitleIsWrittenAsADash() {
        #expect(SessionDescription(name: "").text.contains("\r\ns=-\r\n"))
        #expect(!SessionDescription(information: "").text.contains("i="))
    }

    @Test func longParameterSetsAreOmitted() throws {
        let sets = try #require(
            H264.ParameterSets(
                sequence: Array(repeating: [0x67, 0x42, 0, 0x1E] + Array(repeating: 1, count: 250), count: 32),
                picture: [[0x68, 1]]))
        let track = Track(id: TrackID(0), clockRate: .video, format: .h264(sets))
        let description = SessionDescription.live(
            title: "t", description: nil, tracks: [track], connection: .unspecified(ipVersion: .ipv4),
            originSessionID: 1, originVersion: 1, originAddress: "127.0.0.1", controls: true)
        #expect(description.media[0].formatParameters["sprop-parameter-sets"] == nil)
        #expect(description.media[0].formatParameters["profile-level-id"] == "42001E")
        // live555 accepts at most 20 000 bytes, including the header.
        #expect(description.text.utf8.count < 16_000)
    }

    private func video(
        _ profile: String = "64001F", sequence: String = "Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ",
        picture: String = "aO8Pyw=="
    ) throws -> Track {
        let sets = try H264.ParameterSets(
            sequence: [#require(Base64.decode(Substring(sequence)))],
            picture: [#require(Base64.decode(Substring(picture)))])
        return Track(id: TrackID(0), clockRate: .video, format: .h264(try #require(sets)))
    }

    private func audio(_ config: String) throws -> Track {
        let bytes = try #require(Hexadecimal.decode(Substring(config)))
        let parsed = try #require(AAC.AudioSpecificConfig(parsing: bytes))
        return Track(id: TrackID(1), clockRate: parsed.sampleRate, format: .aac(parsed))
    }
}
