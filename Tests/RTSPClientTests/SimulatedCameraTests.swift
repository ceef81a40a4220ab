import RTSP
import Synchronization
import TestSupport
import Testing

@testable import RTSPClient

/// Cameras and servers that keep less to the rules than others, each with what it does. All were met by other clients; each must
/// play.
@Suite struct SimulatedCameraTests {
    private static let audio = "m=audio 0 RTP/AVP 97\r\na=rtpmap:97 MPEG4-GENERIC/48000/2\r\na=control:track2\r\n"

    private static let answers: [SimulatedCamera] = [
        SimulatedCamera("an ordinary camera"),
        SimulatedCamera("OPTIONS refused (Hikvision: 551)") { $0.options = "RTSP/1.0 551 No\r\nCSeq: #\r\n\r\n" },
        SimulatedCamera("no CSeq in answers") { camera in
            camera.options = "RTSP/1.0 200 OK\r\n\r\n"
            camera.describeHead = "RTSP/1.0 200 OK\r\nContent-Type: application/sdp\r\n"
            camera.setUp = camera.setUp.replacing("CSeq: #\r\n", with: "")
            camera.play = "RTSP/1.0 200 OK\r\n\r\n"
        },
        SimulatedCamera("Cseq in another spelling (H264DVR)") { camera in
            camera.options = camera.options.replacing("CSeq", with: "Cseq")
            camera.play = camera.play.replacing("CSeq", with: "cseq")
        },
        SimulatedCamera("CSeq with blanks behind it (Longse)") { $0.play = $0.play.replacing("#", with: "#   ") },
        SimulatedCamera("a status line without a phrase") { camera in
            camera.options = camera.options.replacing("200 OK", with: "200")
            camera.setUp = camera.setUp.replacing("200 OK", with: "200 ")
        },
        SimulatedCamera("no Content-Type") { $0.describeHead = "RTSP/1.0 200 OK\r\nCSeq: #\r\n" },
        SimulatedCamera("Content-Type with a character set") {
            $0.describeHead = "RTSP/1.0 200 OK\r\nCSeq: #\r\nContent-Type: application/sdp;charset=utf-8\r\n"
        },
    ]

    private static let bases: [SimulatedCamera] = [
        "192.168.1.10:554/stream0/", "/path/", "rtsp://rtsp://192.168.1.10/stream0/",
        "rtsp://::ffff:192.168.1.123/stream0/", "rtsp://192.168.1.10/stream0/", "",
    ].map { base in
        SimulatedCamera("Content-Base: \(base)") { $0.describeHead += "Content-Base: \(base)\r\n" }
    }

    private static let controls: [SimulatedCamera] = [
        SimulatedCamera("a control URL with another host") { camera in
            camera.sdp = camera.sdp.replacing("control:track1", with: "control:rtsp://10.0.0.7/live/video")
            camera.track = "rtsp://10.0.0.7/live/video"
        },
        SimulatedCamera("a control attribute with a slash in front") { camera in
            camera.sdp = camera.sdp.replacing("control:track1", with: "control:/track1")
        },
        SimulatedCamera("a control attribute with a query") { camera in
            camera.sdp = camera.sdp.replacing("control:track1", with: "control:trackID=1?x=2")
            camera.track = "/trackID=1?x=2"
        },
    ]

    private static let transports: [SimulatedCamera] =
        [
            "RTP/AVP;unicast;interleaved=0-1", "RTP/AVP/TCP;unicast;interleaved=0", "RTP/AVP/TCP;interleaved=0-1",
            "RTP/AVP/TCP;ssrc=0A0B;unicast;interleaved=0-1", "RTP/AVP/TCP;unicast;interleaved=0-1;ssrc= d6d6627",
            "RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=3735928559",
            "RTP/AVP/TCP;unicast;destination=1.2.3.4;interleaved=0-1",
            "RTP/AVP/TCP;unicast;interleaved=0-1;mode=\"PLAY\"",
        ].map { transport in
            SimulatedCamera("Transport: \(transport)") {
                $0.setUp = "RTSP/1.0 200 OK\r\nCSeq: #\r\nSession: 1\r\nTransport: \(transport)\r\n\r\n"
            }
        } + [
            SimulatedCamera("other channels than asked for") { camera in
                camera.setUp = camera.setUp.replacing("0-1", with: "10-11")
                camera.after = SimulatedCamera.packet(channel: 10)
            }
        ]

    private static let sessions: [SimulatedCamera] = [
        "Session:        708345999", "Session: 1;timeout=120", "Session: 1; timeout=60", "Session: 1;timeout=0",
        "X-Other: 1",
    ].map { line in
        SimulatedCamera(line) { $0.setUp = $0.setUp.replacing("Session: 1", with: line) }
    }

    private static let descriptions: [SimulatedCamera] =
        [
            ("no o=", "v=0\r\ns=cam\r\nt=0 0\r\n"), ("no s=", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\nt=0 0\r\n"),
            ("two s=", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\ns=b\r\nt=0 0\r\n"),
            ("c= without an address", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\nc=IN \r\nt=0 0\r\n"),
            ("c= without a network", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\nc=IN 192.168.4.232\r\nt=0 0\r\n"),
            ("o= without an address", "v=0\r\no=- 1 1 IN IP4\r\ns=a\r\nt=0 0\r\n"),
            ("o= with IPV4", "v=0\r\no=- 1 1 IN IPV4 0.0.0.0\r\ns=a\r\nt=0 0\r\n"),
            ("a negative version", "v=0\r\no=- -7 -1 IN IP4 0.0.0.0\r\ns=a\r\nt=0 0\r\n"),
            ("t=now-", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\nt=now-\r\n"), ("nothing but media", "v=0\r\n"),
            (
                "another medium first",
                "v=0\r\ns=a\r\nm=metadata 0 RTP/AVP 107\r\na=rtpmap:107 vnd.onvif.metadata/90000\r\n"
            ),
            ("an unreadable medium first", "v=0\r\ns=a\r\nm=application/TP-LINK 0 RTP/AVP smart/1/90000\r\na=x\r\n"),
            ("AAC without its configuration", "v=0\r\ns=a\r\n" + audio),
        ].map { name, head in SimulatedCamera("SDP: \(name)") { $0.sdp = head + SimulatedCamera.video } } + [
            SimulatedCamera("SDP without an end of line") { $0.sdp = String($0.sdp.dropLast()) },
            SimulatedCamera("SDP with line feeds only") { $0.sdp = $0.sdp.replacing("\r\n", with: "\n") },
            SimulatedCamera("a blank behind rtpmap") { $0.sdp = $0.sdp.replacing("90000", with: "90000 ") },
            SimulatedCamera("fmtp without parameters (Ubiquiti)") { $0.sdp += "a=fmtp:96\r\n" },
            SimulatedCamera("a semicolon at the end (Reolink)") { $0.sdp += "a=fmtp:96 packetization-mode=1;\r\n" },
            SimulatedCamera("empty parameter sets") {
                $0.sdp += "a=fmtp:96 packetization-mode=1;sprop-parameter-sets=\r\n"
            },
            SimulatedCamera("garbage as parameter sets") { $0.sdp += "a=fmtp:96 sprop-parameter-sets=AAAA,!!!\r\n" },
            SimulatedCamera("no packetization-mode, FU-A all the same") {
                $0.sdp += "a=fmtp:96 profile-level-id=640028\r\n"
            },
            SimulatedCamera("media marked as sendonly") { $0.sdp += "a=sendonly\r\n" },
        ]

    private static let packets: [SimulatedCamera] = [
        SimulatedCamera("another SSRC than announced") { camera in
            camera.setUp = camera.setUp.replacing("interleaved=0-1", with: "interleaved=0-1;ssrc=DEADBEEF")
        },
        SimulatedCamera("placeholders in RTP-Info (Hikvision, Tapo)") {
            $0.play = "RTSP/1.0 200 OK\r\nCSeq: #\r\nRTP-Info: url=track1;seq=0;rtptime=-1;\r\n\r\n"
        },
        SimulatedCamera("packets before the answer to PLAY") {
            ($0.before, $0.after) = (SimulatedCamera.packet(), [])
        },
        SimulatedCamera("line ends before a packet") { $0.after = Array("\r\n\r\n".utf8) + SimulatedCamera.packet() },
        SimulatedCamera("packets on channels that nobody set up") {
            $0.after = SimulatedCamera.packet(channel: 4) + SimulatedCamera.packet()
        },
        SimulatedCamera("packets of another payload type (Geovision: 50)") {
            $0.after = SimulatedCamera.packet(type: 50) + SimulatedCamera.packet()
        },
    ]

    private final class Methods: Sendable {
        private let seen = Mutex<[String]>([])
        var all: [String] { seen.withLock(\.self) }
        func note(_ method: String) { seen.withLock { $0.append(method) } }
    }

    /// Some cameras have only one session, and would refuse the next try.
    @Test func aSessionThatCannotBeUsedIsTornDown() throws {
        let methods = Methods()
        let camera = SimulatedCamera("UDP instead of TCP") {
            $0.setUp = "RTSP/1.0 200 OK\r\nCSeq: #\r\nSession: 1\r\nTransport: RTP/AVP;unicast;client_port=4-5\r\n\r\n"
        }
        let server = try camera.serve(methods.note)
        defer { server.stop() }
        let outcome = try Watch.run(SessionPlan(try #require(RequestURL(server.url)), transport: .tcp))
        #expect(outcome.end?.description == "invalid response to SETUP: not the requested transport")
        #expect(methods.all.contains("TEARDOWN"))
    }

    @Test(arguments: answers + bases + controls + transports + sessions + descriptions + packets)
    func everyCameraPlays(_ camera: SimulatedCamera) throws {
        let server = try camera.serve()
        defer { server.stop() }
        var plan = SessionPlan(try #require(RequestURL(server.url)), transport: .tcp)
        plan.mediaChoice = .oneOfEachKind
        let outcome = try Watch.run(plan)
        #expect(outcome.payloads == [0: [[0x65, 0x88]]], "\(outcome.end.map { "\($0)" } ?? "nothing came")")
    }
}
