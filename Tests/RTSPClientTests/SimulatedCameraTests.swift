import RTSP
import SDP
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
        SimulatedCamera("no Session in the answer to PLAY") { $0.play = "RTSP/1.0 200 OK\r\nCSeq: #\r\n\r\n" },
        SimulatedCamera("an answer to a request that was not sent") { camera in
            camera.play = "RTSP/1.0 200 OK\r\nCSeq: 99\r\n\r\n" + camera.play
        },
        SimulatedCamera("a request of the camera before its answer") { camera in
            camera.play = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n" + camera.play
        },
    ]

    private static let logins: [SimulatedCamera] = [
        (["Digest realm=\"IP\", nonce=\"a1\""], "Digest "),
        (["Basic realm=\"IP\"", "Digest realm=\"IP\", nonce=\"a1\""], "Digest "),
        (["Digest realm=\"IP\", nonce=\"a1\", stale=\"FALSE\"", "Basic realm=\"IP\""], "Digest "),
        (["Basic realm=\"/\""], "Basic "), (["Digest realm=\"IP\",nonce=\"a1\",algorithm=\"SHA-256\""], "Digest "),
    ].map { challenges, credentials in
        SimulatedCamera("WWW-Authenticate: \(challenges.joined(separator: ", "))") { camera in
            (camera.challenges, camera.credentials) = (challenges, credentials)
        }
    }

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
        SimulatedCamera("another URL in RTP-Info than in the description (GW4089IP)") {
            $0.play = "RTSP/1.0 200 OK\r\nCSeq: #\r\nRTP-Info: url=rtsp://192.168.1.110:5050/H264/video;seq=7\r\n\r\n"
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

    private static let sessions: [SimulatedCamera] =
        [
            "Session:        708345999", "Session: 1;timeout=120", "Session: 1; timeout=60", "Session: 1;timeout=0",
            "X-Other: 1",
        ].map { line in
            SimulatedCamera(line) { $0.setUp = $0.setUp.replacing("Session: 1", with: line) }
        } + [
            SimulatedCamera("another session in each answer") { camera in
                camera.setUp = camera.setUp.replacing("Session: 1", with: "Session: #")
                camera.play = camera.play.replacing("Session: 1", with: "Session: #")
                camera.sdp += audio + "a=fmtp:97 config=1190\r\n"
            }
        ]

    private static let descriptions: [SimulatedCamera] =
        [
            ("no o=", "v=0\r\ns=cam\r\nt=0 0\r\n"), ("no s=", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\nt=0 0\r\n"),
            ("two s=", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\ns=b\r\nt=0 0\r\n"),
            ("c= without an address", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\nc=IN \r\nt=0 0\r\n"),
            ("c= without a network", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\nc=IN 192.168.4.232\r\nt=0 0\r\n"),
            ("o= without an address", "v=0\r\no=- 1 1 IN IP4\r\ns=a\r\nt=0 0\r\n"),
            ("o= with IP (Verint)", "v=0\r\no=- 1 1 IN IP IP4 0.0.0.0\r\ns=a\r\nt=0 0\r\n"),
            ("o= with IPV4", "v=0\r\no=- 1 1 IN IPV4 0.0.0.0\r\ns=a\r\nt=0 0\r\n"),
            ("a negative version", "v=0\r\no=- -7 -1 IN IP4 0.0.0.0\r\ns=a\r\nt=0 0\r\n"),
            ("t=now-", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=a\r\nt=now-\r\n"), ("nothing but media", "v=0\r\n"),
            (
                "another medium first",
                "v=0\r\ns=a\r\nm=metadata 0 RTP/AVP 107\r\na=rtpmap:107 vnd.onvif.metadata/90000\r\n"
            ),
            ("an unreadable medium first", "v=0\r\ns=a\r\nm=application/TP-LINK 0 RTP/AVP smart/1/90000\r\na=x\r\n"),
            ("AAC without its configuration", "v=0\r\ns=a\r\n" + audio),
            (
                "AAC in the mode aac_hbr, in capitals",
                "v=0\r\ns=a\r\n" + audio + "a=fmtp:97 mode=aac_hbr; SizeLength=13\r\n"
            ),
            ("fmtp of another medium", "v=0\r\ns=a\r\n" + audio + "a=fmtp:96 packetization-mode=1\r\n"),
            (
                "Opus with a wrong clock rate",
                "v=0\r\ns=a\r\nm=audio 0 RTP/AVP 97\r\na=rtpmap:97 opus/8000\r\na=control:track2\r\n"
            ),
            ("a medium of another protocol", "v=0\r\ns=a\r\nm=video 0 MP2T/H2221/UDP 33\r\na=control:ts\r\n"),
            ("a back channel first", "v=0\r\ns=a\r\nm=audio 0 RTP/AVP 0\r\na=sendonly\r\na=control:track2\r\n"),
            ("a medium of the kind meta", "v=0\r\ns=a\r\nm=meta 0 RTP/AVP 98\r\na=rtpmap:98 x/90000\r\n"),
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
            SimulatedCamera("zeros behind the description") { $0.sdp += "\0\0" },
            SimulatedCamera("start codes in the parameter sets") {
                $0.sdp += "a=fmtp:96 sprop-parameter-sets=AAAAAWdCwB7ZA8VoQAAAAwBAAAAMA8WLkg==,AAAAAWjLjLI=\r\n"
            },
            SimulatedCamera("a start code behind each parameter set (GW4089IP)") {
                $0.sdp += "a=fmtp:96 sprop-parameter-sets=Z00AKpWoHgCJ+WbgICAgQAAAAAE=,aO48gAAAAAE=\r\n"
            },
            SimulatedCamera("one of the three parameter sets of H.265") { camera in
                camera.sdp = camera.sdp.replacing("H264", with: "H265") + "a=fmtp:96 sprop-pps=RAHA8saNA7NA\r\n"
            },
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
        SimulatedCamera("a report on the channel of the media") {
            $0.after = SimulatedCamera.interleaved(0, report) + SimulatedCamera.packet()
        },
        SimulatedCamera("media on the channel of the reports") { camera in
            camera.after = SimulatedCamera.packet(channel: 1)
        },
        SimulatedCamera("a packet of 64 KB") { camera in
            camera.payload = [0x65] + [UInt8](repeating: 0x88, count: 65_000)
            camera.after = SimulatedCamera.packet(payload: camera.payload)
        },
    ]

    /// A sender report without anything else.
    private static let report: [UInt8] = [0x80, 200, 0, 6, 0, 0, 0, 9] + [UInt8](repeating: 1, count: 20)

    /// Over UDP. The packets come from other ports than those in the answer.
    private static let datagrams: [SimulatedCamera] =
        [
            "client_port=5000-5001", "client_port=5000-5001;server_port=0-1", "server_port=9",
            "client_port=5000-5001;server_port=6000-6001;source=camera.local",
            "ssrc=00000009;client_port=54060-54061;server_port=49152-49153",
        ].map { answer in
            SimulatedCamera("Transport: RTP/AVP;unicast;\(answer)") { camera in
                camera.setUp = camera.setUp.replacing(
                    "RTP/AVP/TCP;unicast;interleaved=0-1", with: "RTP/AVP;unicast;\(answer)")
                (camera.after, camera.datagram) = ([], Array(SimulatedCamera.packet().dropFirst(4)))
            }
        } + [
            SimulatedCamera("a datagram of 10000 bytes (Tapo)") { camera in
                camera.setUp = camera.setUp.replacing(
                    "RTP/AVP/TCP;unicast;interleaved=0-1", with: "RTP/AVP;unicast;server_port=9-10")
                camera.payload = [0x65] + [UInt8](repeating: 0x88, count: 9_987)
                camera.after = []
                camera.datagram = Array(SimulatedCamera.packet(payload: camera.payload).dropFirst(4))
            }
        ]

    private final class Methods: Sendable {
        private let seen = Mutex<[String]>([])
        var all: [String] { seen.withLock(\.self) }
        func note(_ method: String) { seen.withLock { $0.append(method) } }
    }

    /// A loudspeaker is not set up, because the camera may refuse it; if all media are marked as one, none is.
    @Test(arguments: [(["", "a=sendonly\r\n"], [0]), (["a=sendonly\r\n", "a=sendonly\r\n"], [0, 1])])
    func aBackChannelIsNotSetUp(marks: [String], chosen: [Int]) throws {
        let text = "v=0\r\ns=a\r\n" + SimulatedCamera.video + marks[0] + "m=audio 0 RTP/AVP 0\r\n" + marks[1]
        let description = try SessionDescription(parsing: text)
        #expect(MediaChoice.received.chosen(of: description).map(\.index) == chosen)
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

    @Test(arguments: answers + logins + bases + controls + transports + sessions + descriptions + packets + datagrams)
    func everyCameraPlays(_ camera: SimulatedCamera) throws {
        let server = try camera.serve()
        defer { server.stop() }
        let transport: SessionTransport = camera.datagram.isEmpty ? .tcp : .udp
        var plan = SessionPlan(try #require(RequestURL(server.url)), transport: transport)
        plan.mediaChoice = .received
        plan.login = try RedirectionTests.login()
        let outcome = try Watch.run(plan)
        #expect(
            Array(outcome.payloads.values) == [[camera.payload]], "\(outcome.end.map { "\($0)" } ?? "nothing came")")
    }
}
