import Media
import Testing

@testable import SDP

/// From a media description to a track.
@Suite struct TrackMappingTests {
    /// A summary of the described tracks of each file in `sdp/devices`.
    @Test(arguments: [
        ("devices/ffmpeg.sdp", ["h264 64001F 90000 -", "aac 48000/6 11B056E500 -"]),
        ("devices/gstreamer.sdp", ["h264 64001F 90000 stream=0", "aac 44100/2 1210 stream=1"]),
        ("devices/live555.sdp", ["h264 4D401E 90000 track1", "aac 16000/1 1408 track2"]),
        ("devices/live555-multicast.sdp", ["h264 4D401E 90000 track1"]),
        (
            "devices/camera-onvif.sdp",
            [
                "h264 4D4028 90000 rtsp://192.168.1.64:554/Streaming/Channels/101/trackID=1",
                "PCMA 8000 rtsp://192.168.1.64:554/Streaming/Channels/101/trackID=2",
                "vnd.onvif.metadata 90000 rtsp://192.168.1.64:554/Streaming/Channels/101/trackID=3",
            ]
        ),
        ("devices/camera-h265.sdp", ["h265 1 90000 trackID=0", "aac 48000/1 1188 trackID=1"]),
        ("devices/camera-quirks.sdp", ["h264 4D401E 90000 track1", "PCMU 8000 track2", "nothing"]),
        (
            "devices/camera-mixed-case-aac.sdp",
            ["aac 48000/1 1188 trackID=0", "opus 48000 trackID=1", "h264 in band 90000 trackID=2"]
        ),
    ])
    func tracksOfDevicesAreRecognised(file: String, expected: [String]) throws {
        let description = try SessionDescription(parsing: GoldenFiles.bytes(file))
        #expect(description.media.map { summary($0.describedTrack) } == expected)
    }

    @Test(arguments: [
        "ours/testcard.sdp", "ours/file-surround.sdp", "ours/pipe-video-only.sdp", "ours/multicast.sdp",
    ])
    func ourDescriptionsParseToTheSameTracks(file: String) throws {
        let description = try SessionDescription(parsing: GoldenFiles.bytes(file))
        let tracks = try description.media.enumerated().map {
            try #require($1.describedTrack?.track(id: TrackID($0)))
        }
        let again = SessionDescription.live(
            title: description.name, description: nil, tracks: tracks, connection: .unspecified(ipVersion: .ipv4),
            originSessionID: 1, originVersion: 1, originAddress: "127.0.0.1", controls: true)
        #expect(again.media.map(\.formatParameters) == description.media.map(\.formatParameters))
        #expect(again.media.map(\.rtpMap) == description.media.map(\.rtpMap))
    }

    @Test(arguments: [
        ("packetization-mode=2", "H264 90000 -"),
        ("packetization-mode=1;sprop-parameter-sets=Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ", "h264 in band 90000 -"),
        ("packetization-mode=1;sprop-parameter-sets=!!!!,aO8Pyw==", "h264 in band 90000 -"),
        ("sprop-parameter-sets=Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ,aO8Pyw", "h264 64001F 90000 -"),
        (" ; SPROP-Parameter-Sets = Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ , aO8Pyw== ;", "h264 64001F 90000 -"),
    ])
    func incompleteH264ParametersAreAccepted(parameters: String, expected: String) throws {
        #expect(summary(try medium("H264/90000", parameters).describedTrack) == expected)
    }

    @Test(arguments: [
        ("config=1190", "aac 48000/2 1190 -"),
        ("config=1190;sizelength=13;indexlength=3;indexdeltalength=3", "aac 48000/2 1190 -"),
        ("mode=AAC-lbr;config=1190;sizelength=6;indexlength=2;indexdeltalength=2", "MPEG4-GENERIC 48000 -"),
        ("config=119;sizelength=13;indexlength=3;indexdeltalength=3", "MPEG4-GENERIC 48000 -"),
        ("config=;sizelength=13;indexlength=3;indexdeltalength=3", "MPEG4-GENERIC 48000 -"),
        ("config=FFFF", "MPEG4-GENERIC 48000 -"),
    ])
    func onlyHighBitrateAACIsSupported(parameters: String, expected: String) throws {
        #expect(summary(try medium("MPEG4-GENERIC/48000/2", parameters).describedTrack) == expected)
    }

    @Test(arguments: ["H264", "H264/0", "H264/4294967295", "H264/-1", "/90000", "H264/90000000000000000000"])
    func aMapWithoutAValidClockRateIsIgnored(map: String) throws {
        #expect(try medium(map, "").describedTrack == nil)
    }

    private func medium(_ map: String, _ parameters: String) throws -> MediaDescription {
        let text = "v=0\nm=video 0 RTP/AVP 96\na=rtpmap:96 \(map)\na=fmtp:96 \(parameters)\n"
        return try #require(try SessionDescription(parsing: text).media.first)
    }
}

/// A summary of a described track in one line.
func summary(_ track: DescribedTrack?) -> String {
    guard let track else { return "nothing" }
    let control = track.control ?? "-"
    switch track.payload {
    case .inBand(let codec):
        return "\(codec) in band \(track.clockRate.hertz) \(control)"
    case .described(.h264(let sets)):
        let profile = String(sets.profileLevelID, radix: 16, uppercase: true)
        return "h264 \(profile) \(track.clockRate.hertz) \(control)"
    case .described(.aac(let config)):
        let bytes = Hexadecimal.encode(config.bytes)
        return "aac \(config.sampleRate.hertz)/\(config.channelCount) \(bytes) \(control)"
    case .latm(let config):
        let bytes = Hexadecimal.encode(config.configuration.bytes)
        return "latm \(config.configuration.sampleRate.hertz)/\(config.configuration.channelCount) \(bytes) \(control)"
    case .described(.h265(let sets)):
        return "h265 \(sets.profile.profile) \(track.clockRate.hertz) \(control)"
    case .described(.opus), .described(.g711), .transcoded, .transportStream, .unsupported, .unknown:
        return "\(track.encodingName) \(track.clockRate.hertz) \(control)"
    }
}
