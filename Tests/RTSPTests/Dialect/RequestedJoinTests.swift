import Media
import Testing

@testable import RTSP

struct RequestedJoinTests {
    private static let interleaved: Headers = [.transport: "RTP/AVP/TCP;unicast"]

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("x=1", nil), ("joined=keyframe", nil), ("join=keyframe", .keyframe),
            ("JOIN=Keyframe", .keyframe), ("x=1&join=keyframe&y=/z", .keyframe), ("join=fast", .fast),
            ("join=auto", .fast), ("join=prelude", .fast), ("join=fastStart", .fast),
            ("join=keyframe&join=fast", .keyframe),
        ] as [(String?, RequestedJoin?)])
    func theParameterIsReadFromAnyPositionInTheQuery(query: String?, join: RequestedJoin?) throws {
        #expect(try RequestedJoin(query: query) == join)
    }

    /// The join modes of the PLAY actions.
    private func joins(_ dialogue: Dialogue) -> [RequestedJoin?] {
        dialogue.orders.compactMap { if case .play(_, let request) = $0 { .some(request.join) } else { nil } }
    }

    /// The URLs of DESCRIBE, SETUP and PLAY of several clients: ffmpeg and live555 append the control name after the query,
    /// GStreamer drops the query after DESCRIBE, and some clients add the query again after the track.
    @Test(
        arguments: [
            ("?join=keyframe", "/?join=keyframe/track1", "/?join=keyframe/", .keyframe),
            ("?join=keyframe", "/track1", "/", .keyframe), ("", "/track1?join=keyframe", "/", .keyframe),
            ("", "/track1", "?join=keyframe", .keyframe), ("?join=keyframe", "/track1?join=fast", "/", .fast),
            ("?join=keyframe", "/track1", "/?join=fast", .fast), ("", "/track1", "", nil),
        ] as [(String, String, String, RequestedJoin?)])
    func anyRequestOfASessionMayHaveTheParameter(
        describe: String, setUp: String, play: String, join: RequestedJoin?
    ) throws {
        var dialogue = Dialogue()
        #expect(dialogue.ask(.describe, Dialogue.url + describe)?.status == .ok)
        let answer = dialogue.ask(.setUp, Dialogue.url + setUp, Self.interleaved)
        let session = try #require(answer?.headers[.session])
        #expect(dialogue.ask(.play, Dialogue.url + play, [.session: session])?.status == .ok)
        #expect(joins(dialogue) == [join])
    }

    @Test func theJoinModeOfAnotherPathsDescribeIsIgnored() throws {
        var dialogue = Dialogue()
        dialogue.ask(.describe, "rtsp://cam.example:8554/?join=keyframe")
        let session = try dialogue.setUp()
        dialogue.ask(.play, Dialogue.url, [.session: session.text])
        #expect(joins(dialogue) == [nil])
    }

    @Test func anUnknownValueIsABadRequest() throws {
        var dialogue = Dialogue()
        for (method, url) in [
            (RTSP.Method.describe, "?join=slow"), (.setUp, "/?join=/track1"), (.setUp, "/track1?join=keyfram"),
        ] {
            let answer = dialogue.ask(method, Dialogue.url + url, Self.interleaved)
            #expect(answer?.status == .badRequest && answer?.reason == "Bad Request: join is keyframe or fast")
        }
        let session = try dialogue.setUp()
        let answer = dialogue.ask(.play, Dialogue.url + "?join=slow", [.session: session.text])
        #expect(answer?.status == .badRequest)
        #expect(joins(dialogue).isEmpty)
    }

    @Test(
        arguments: [
            ("openRTSP (LIVE555 Streaming Media v2020.04.12)", true), ("ZoneMinder/1.36.33", true),
            ("go2rtc/1.9.4", true),
            ("gortsplib", true), ("Synology Surveillance Station", true), ("Moonfire NVR 0.7.17", true),
            ("BlueIris", true),
            ("Lavf59.27.100", false), ("LibVLC/3.0.18 (LIVE555 Streaming Media v2020.04.12)", false),
            ("GStreamer/1.22.0", false), ("mpv", false), ("apus-bench", false), (nil, false),
        ] as [(String?, Bool)])
    func recordersAreRecognisedByTheirUserAgent(userAgent: String?, isRecorder: Bool) {
        #expect(ClientDialect(userAgent: userAgent).isRecorder == isRecorder)
    }
}
