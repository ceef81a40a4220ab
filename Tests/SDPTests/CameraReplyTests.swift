import SDP
import TestSupport
import Testing

/// Replies of real cameras and recorders.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct CameraReplyTests {
    private static let folder = "rtsp-replies"

    static let descriptions = SharedData.files(in: folder).filter {
        $0.hasSuffix("describe.txt") || $0.hasSuffix("sdp.txt") || $0.contains("_describe_")
    }

    @Test(arguments: descriptions)
    func everyDescriptionParsesToTheSameValueAfterWriting(file: String) throws {
        let description = try SessionDescription(parsing: body(of: file))
        #expect(!description.media.isEmpty)
        #expect(description.media.compactMap(\.describedTrack).contains { $0.clockRate == .video })
        #expect(try SessionDescription(parsing: description.text) == description)
    }

    @Test(arguments: [
        ("anpviz_sdp.txt", ["h264 4D401F 90000 trackID=1", "aac 16000/1 1408 trackID=2"]),
        ("bunny_describe.txt", ["aac 12000/2 1490 trackID=1", "h264 42C01E 90000 trackID=2"]),
        (
            "dahua_describe_h264_aac_onvif.txt",
            ["h264 64001E 90000 trackID=0", "aac 48000/1 1188 trackID=1", "vnd.onvif.metadata 90000 trackID=4"]
        ),
        ("foscam_describe.txt", ["h264 4D001F 90000 track1", "PCMU 8000 track2"]),
        ("gw_main_describe.txt", ["h264 4D002A 90000 video", "PCMU 8000 audio"]),
        ("h264dvr_describe.txt", ["h264 420029 90000 trackID=3", "PCMA 8000 trackID=4"]),
        ("macrovideo_describe.txt", ["h264 4DE028 90000 track1"]),
        ("missing_content_type_describe.txt", ["h264 64000D 90000 streamid=0", "aac 48000/2 119056E500 streamid=1"]),
        ("tplink_sdp.txt", ["h265 1 90000 track1", "PCMA 8000 track2", "nothing"]),
        (
            "ubiquiti_sdp.txt",
            ["aac 48000/1 1188 trackID=0", "opus 48000 trackID=1", "h264 4D402A 90000 trackID=2"]
        ),
        ("vstarcam_describe.txt", ["h264 4D002A 90000 track0", "PCMA 8000 track1"]),
    ])
    func tracksOfCamerasAreRecognised(file: String, expected: [String]) throws {
        let description = try SessionDescription(parsing: body(of: "\(Self.folder)/\(file)"))
        #expect(description.media.map { summary($0.describedTrack) } == expected)
    }

    /// The body of a reply, or the whole file if it has no RTSP header.
    private func body(of file: String) throws -> [UInt8] {
        let bytes = try #require(SharedData.bytes(file))
        guard bytes.starts(with: [UInt8]("RTSP/".utf8)) else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        return [UInt8](try #require(text.firstRange(of: "\n\n").map { text[$0.upperBound...] }).utf8)
    }
}
