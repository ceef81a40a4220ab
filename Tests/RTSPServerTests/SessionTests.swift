import Glibc
import Media
import RTP
import Reactor
import TestSupport
import Testing

@testable import RTSPServer

/// Sessions over TCP on the real server.
@Suite(.serialized)
struct SessionTests {
    private static let interleaved = "RTP/AVP/TCP;unicast;interleaved=0-1"

    @Test func readingInterleavedDataKeepsASessionAlive() async throws {
        try await Broadcast.run({ $0.connection.sessionTimeoutSeconds = 1 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, Self.interleaved)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            // A session without a sign of life ends after 1.25 s.
            let end = MonotonicTime.now().advanced(byMilliseconds: 2_000)
            while MonotonicTime.now() < end {
                broadcast.publish()
                while client.frame(within: 0.02) != nil {}
            }
            let answer = try client.request("GET_PARAMETER", broadcast.url, session)
            #expect(answer.status == 200, "\(answer.head)")
        }
    }

    @Test(arguments: [false, true])
    func packetsCarryTheirCaptureTimeIfThePathEnablesIt(_ sendsAbsoluteCaptureTime: Bool) async throws {
        try await Broadcast.run { broadcast in
            var options = PathOptions(title: "camera")
            if sendsAbsoluteCaptureTime { options.headerExtensions = HeaderExtensionLayout([.absoluteCaptureTime]) }
            broadcast.directory.insert(broadcast.stream, options: options)
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let description = try client.request("DESCRIBE", broadcast.url).body
            #expect(description.contains("a=extmap:1 http://www.webrtc.org/") == sendsAbsoluteCaptureTime)
            let (session, _) = try broadcast.setUp(on: client, Self.interleaved)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            var packet: RTSPSocket.Frame?
            while packet == nil, let frame = client.frame(within: 5) { packet = frame.channel == 0 ? frame : nil }
            // RTP version 2, with or without an extension; 1 001 bytes of payload.
            #expect(packet?.bytes.first == (sendsAbsoluteCaptureTime ? 0x90 : 0x80))
            #expect(packet?.bytes.count == (sendsAbsoluteCaptureTime ? 28 : 12) + 1_001)
        }
    }

    @Test func aSessionForChangedTracksCannotPlay() async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video, Broadcast.audio])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (first, _) = try broadcast.setUp(on: client, Self.interleaved)
            let audio = try broadcast.setUp(on: client, "RTP/AVP/TCP;unicast;interleaved=2-3", track: 2, in: first)
            #expect(audio.answer.status == 200)
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            #expect(try client.request("PLAY", broadcast.url, first).status == 454)
            let (second, _) = try broadcast.setUp(on: client, "RTP/AVP/TCP;unicast;interleaved=4-5")
            broadcast.stream.announce([Broadcast.video, Broadcast.audio])
            let late = try broadcast.setUp(on: client, "RTP/AVP/TCP;unicast;interleaved=6-7", track: 2, in: second)
            #expect(late.answer.status == 454)
        }
    }

    @Test func aByeIsReadBeforeTheConnectionOfATrackChangeCloses() async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, Self.interleaved)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            broadcast.stream.announce([Broadcast.video, Broadcast.audio])
            var last: RTSPSocket.Frame?
            while let frame = client.frame(within: 5) { last = frame }
            #expect(client.isClosed)
            // A receiver report without blocks, a description, BYE (RFC 3550, section 6.6).
            #expect(last?.controlTypes == [201, 202, 203])
        }
    }

    @Test func pipelinedRequestsAreAllAnswered() async throws {
        try await Broadcast.run({ $0.describeMilliseconds = 100 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, Self.interleaved)
            // Behind a DESCRIBE that waits for its source: more requests than the server lets wait.
            var text = "DESCRIBE rtsp://h/dead RTSP/1.0\r\nCSeq: 2\r\n\r\n"
            for _ in 0..<900 {
                text += "OPTIONS rtsp://h/cam RTSP/1.0\nCSeq: 3\nSession: \(session["Session"] ?? "")\n\n"
            }
            client.send(text)
            #expect(client.response(within: 10)?.status == 503)
            var count = 0
            while count < 900, client.response(within: 10)?.status == 200 { count += 1 }
            #expect(count == 900)
        }
    }

    /// VLC sets up the whole stream by SAT>IP; other clients may know the tracks from earlier.
    @Test(arguments: [
        ("", "RTP/AVP;unicast;client_port=47210-47211"), ("/track1", "RTP/AVP/TCP;unicast;interleaved=0-1"),
    ])
    func setUpWithoutDescribeWaitsForTheFirstUnit(_ track: String, _ transport: String) async throws {
        // This test may wait for its turn longer than the usual 3 s.
        try await Broadcast.run({ $0.describeMilliseconds = 60_000 }) { broadcast in
            let client = try RTSPSocket(port: broadcast.port)
            client.send(client.text(of: "SETUP", broadcast.url + track, ["Transport": transport]))
            let loop = broadcast.server.loops[0]
            #expect(
                await eventually(within: 20) { await loop.with(RTSPService.self) { $0.requests.waitingCount } == 1 })
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            #expect(client.response(within: 20)?.status == 200)
        }
    }

    @Test func setUpDoesNotWaitForeverForTheFirstUnit() async throws {
        try await Broadcast.run({ $0.describeMilliseconds = 50 }) { broadcast in
            let client = try RTSPSocket(port: broadcast.port)
            let transport = ["Transport": "RTP/AVP;unicast;client_port=47212-47213"]
            let answer = try client.request("SETUP", "rtsp://127.0.0.1/dead", transport)
            #expect(answer.status == 503 && answer.header("Retry-After") == "2", "\(answer.head)")
        }
    }

    @Test func playingAgainAtOnceGetsNoSecondFastStart() async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: client, Self.interleaved)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            #expect(broadcast.source.requests.load(ordering: .relaxed) == 0)
            #expect(try client.request("PAUSE", broadcast.url, session).status == 200)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            #expect(broadcast.source.requests.load(ordering: .relaxed) == 1)
        }
    }

    @Test func reportsUseTheChannelThatTheClientNamed() async throws {
        try await Broadcast.run { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let (session, answer) = try broadcast.setUp(on: client, "RTP/AVP/TCP;unicast;interleaved=0-5")
            #expect(answer.header("Transport")?.contains("interleaved=0-5") == true)
            #expect(try client.request("PLAY", broadcast.url, session).status == 200)
            let report = client.frame(within: 5)
            #expect(report?.channel == 5)
            #expect(report?.controlTypes == [200, 202])
            #expect(client.frame(within: 5)?.channel == 0)
        }
    }

    @Test func aClientThatStillSendsReadsTheRefusal() async throws {
        try await Broadcast.run { broadcast in
            let socket = try TCPSocket(connectingTo: .loopback(.ipv4, port: broadcast.server.port))
            let noise = [UInt8](repeating: UInt8(ascii: "A"), count: 60_000)
            var (sent, received) = (0, [UInt8]())
            var outcome = ReadOutcome.wouldBlock
            let hasEnded = await eventually(within: 10) {
                noise.withUnsafeBytes {
                    let rest = UnsafeRawBufferPointer(rebasing: $0[sent...])
                    if sent < noise.count, case .wrote(let count) = socket.write(rest) { sent += count }
                }
                repeat {
                    outcome = withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer in
                        let outcome = socket.read(into: buffer)
                        if case .bytes(let count) = outcome { received += buffer[..<count] }
                        return outcome
                    }
                } while outcome != .wouldBlock && outcome != .end && !outcome.isFailure
                return outcome != .wouldBlock
            }
            #expect(hasEnded && sent == noise.count)
            #expect(outcome == .end, "a reset would discard the answer")
            #expect(received.starts(with: Array("RTSP/1.0 4".utf8)))
        }
    }
}

extension ReadOutcome {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
}
