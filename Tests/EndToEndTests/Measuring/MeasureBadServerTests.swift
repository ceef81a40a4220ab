import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Servers that are not RTSP servers or misbehave: `apus measure` reports one line and an exit status, and does not hang.
    @Suite(.serialized, .sharesMachine)
    struct MeasuringBadServers {
        @Test(arguments: [
            "http://", "ftp://127.0.0.1/cam", "http://127.0.0.1:99999/cam/whep", "127.0.0.1:8554/cam", "rtsp://",
            "rtsp://127.0.0.1:99999/cam",
            "rtsps://127.0.0.1/cam",
            "rtsp://vIewer:sesAme@127.0.0.1:99999/cam", "",
        ])
        func anInvalidURLIsAUsageError(url: String) async throws {
            let outcome = try await Measure.run(url, [])
            #expect(outcome.status == 64)
            #expect(!outcome.errors.contains("sesAme"))
        }

        /// Each address of HTTP that is measured is one of WHEP.
        @Test func theExampleCanBeMeasured() async throws {
            let outcome = try await Measure.run("http://", [])
            #expect(outcome.errors.contains("http:// is not a URL, such as http://192.168.1.20:8888/cam/whep"))
        }

        @Test(arguments: [["--fail-if", "p99"], ["--fail-if", "p99>50"], ["--seconds", "0"], ["--timeout", "nan"]])
        func anInvalidArgumentIsAUsageError(arguments: [String]) async throws {
            #expect(try await Measure.run("rtsp://127.0.0.1/cam", arguments).status == 64)
        }

        @Test func aRefusedConnectionIsReported() async throws {
            let outcome = try await Measure.run("rtsp://vIewer:sesAme@127.0.0.1:\(LoopbackSocket.freePort())/cam", [])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("Connection refused"))
            #expect(!outcome.errors.contains("sesAme"))
        }

        @Test func anUnwritableFileIsReportedBeforeTheMeasurement() async throws {
            let outcome = try await Measure.run("rtsp://127.0.0.1:1/cam", ["--csv", "/nowhere/frames.csv"])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("/nowhere/frames.csv"))
        }

        /// The behaviour of a server, with the expected message.
        enum Misbehaviour: String, CaseIterable, Sendable {
            case silent = "the server did not answer"
            case garbage = "invalid RTSP from the server"
            case audioOnly = "the stream has no video, only PCMU"
            case nothing = "the description contains no RTP stream"
            case unauthorized = "the server requires a user and a password"
            case mute = "no video packet arrived"
            case noise = "no frame could be decoded"
            case withoutTCP = "461 Unsupported transport; try --transport udp"
        }

        @Test(arguments: Misbehaviour.allCases)
        func aMisbehavingServerIsReportedInOneLine(_ misbehaviour: Misbehaviour) async throws {
            let server = try ScriptedServer { request, peer in Self.answer(request, peer, misbehaviour) }
            defer { server.stop() }
            let outcome = try await Measure.run(server.url, ["--timeout", "1", "--transport", "tcp"])
            #expect(!outcome.ranOutOfTime)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(misbehaviour.rawValue), "\(outcome.diagnostics)")
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }

        private static func answer(
            _ request: ScriptedServer.Request, _ peer: ScriptedServer.Peer, _ misbehaviour: Misbehaviour
        ) -> Bool {
            switch (misbehaviour, request.method) {
            case (.silent, _): true
            case (.garbage, _): peer.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n<html>\u{0}\u{1}\r\n\r\n".utf8))
            case (.unauthorized, "DESCRIBE"): peer.send(request.answer(status: "401 Unauthorized"))
            case (_, "DESCRIBE"): peer.send(request.answer(body: description(misbehaviour)))
            case (.withoutTCP, "SETUP"): peer.send(request.answer(status: "461 Unsupported transport"))
            case (_, "SETUP"):
                peer.send(request.answer(["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]))
            case (.noise, "PLAY"): peer.send(request.answer(["Session: 1"]) + noise)
            default: peer.send(request.answer(["Session: 1"]))
            }
        }

        private static func description(_ misbehaviour: Misbehaviour) -> String {
            let head = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=cam\r\nt=0 0\r\n"
            return switch misbehaviour {
            case .audioOnly: head + "m=audio 0 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\na=control:track1\r\n"
            case .nothing: head
            default: head + "m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:track1\r\n"
            }
        }

        /// RTP packets with random payloads.
        private static var noise: [UInt8] {
            var random = SplitMix64(seed: 4)
            return (0..<200).flatMap { number -> [UInt8] in
                let payload = random.bytes(40)
                let header: [UInt8] = [
                    0x80, 96 | (number % 4 == 0 ? 0x80 : 0), 0, UInt8(number), 0, 0, 0, UInt8(number), 0, 0, 0, 9,
                ]
                return [0x24, 0, 0, UInt8(header.count + payload.count)] + header + payload
            }
        }
    }
}
