import Delivery
import Media
import Streams
import TestSupport
import Testing

@testable import RTMP

/// Publishers over RTMP on the real server.
@Suite(.serialized)
struct PublishingTests {
    private func time(_ milliseconds: Int64) -> MediaTime { MediaTime(ticks: milliseconds * 90, rate: .video) }

    @Test func whatIsPublishedIsPlayedUnchanged() async throws {
        try await RTMPBroadcast.run { broadcast in
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            #expect(broadcast.live.input?.transport == "RTMP")
            publisher.sendHead()
            publisher.send(.frame(isKeyframe: true, fill: 1, at: time(0)))
            // Without audio, the announcement waits for a second.
            #expect(await eventually(within: 20) { broadcast.live.stream.announcement != nil })
            let player = try broadcast.player("live")
            #expect(player.start())
            for number in 2...5 { publisher.send(.frame(fill: UInt8(number), at: time(Int64(number) * 40))) }
            #expect(player.read { player.frames.count >= 5 })
            #expect(player.frames.map { $0.last } == [1, 2, 3, 4, 5])
            // Tag, length and NAL unit; the keyframe has its parameter sets, too.
            #expect(player.frames.map { $0.count } == [5 + 39 + 4 + 1_000] + [Int](repeating: 5 + 4 + 1_000, count: 4))
            publisher.stop()
            #expect(await eventually(within: 20) { broadcast.live.publisher == nil })
            #expect(!player.isOver, "players stay")
            #expect(broadcast.lines.text.contains("publisher left"))
        }
    }

    @Test func playersStayWhilePublishersTakeOver() async throws {
        try await RTMPBroadcast.run { broadcast in
            let first = try broadcast.publisher()
            #expect(first.start())
            first.sendHead()
            first.send(.frame(isKeyframe: true, fill: 1, at: time(0)))
            #expect(await eventually(within: 20) { broadcast.live.stream.announcement != nil })
            let player = try broadcast.player("live")
            #expect(player.start() && player.read { player.frames.count == 1 })
            let second = try broadcast.publisher()
            #expect(second.start())
            #expect(first.refusal()?.code == .publishBadName)
            second.sendHead()
            second.send(.frame(isKeyframe: true, fill: 2, at: time(0)))
            #expect(player.read { player.frames.last?.last == 2 })
            #expect(!player.isOver)
        }
    }

    @Test func anotherPublisherIsRefusedWithTheReason() async throws {
        try await RTMPBroadcast.run(override: .never) { broadcast in
            let first = try broadcast.publisher()
            #expect(first.start())
            let refusal = try broadcast.publisher().refusal()
            #expect(refusal?.code == .publishBadName)
            #expect(refusal?.description == "published by 127.0.0.1")
            #expect(!first.isOver)
        }
    }

    @Test func refusalsHaveTheirCodes() async throws {
        try await RTMPBroadcast.run { broadcast in
            let unknown = try broadcast.publisher("lvie").refusal()
            #expect(unknown?.code == .publishBadName)
            #expect(unknown?.description == "there is no path /lvie; did you mean /live?")
            #expect(try broadcast.publisher("cam").refusal()?.description == "/cam has a source of its own")
            #expect(try broadcast.player("nothing").refusal()?.code == .playStreamNotFound)
            #expect(try broadcast.player("live").refusal()?.description == "/live has no input; see the server's log")
        }
    }

    @Test func aSilentPublisherIsEnded() async throws {
        try await RTMPBroadcast.run { options in
            options.silenceSeconds = 1
        } _: { broadcast in
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            let refusal = publisher.refusal()
            #expect(refusal?.code == .publishFailed)
            #expect(refusal?.description == "no media has come for 1 s")
            #expect(await eventually(within: 20) { broadcast.live.publisher == nil })
        }
    }

    @Test func aPublisherOfUnsupportedCodecsIsToldSo() async throws {
        try await RTMPBroadcast.run { broadcast in
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            // Audio message of Speex, on chunk stream 4, message stream 1.
            publisher.send([4, 0, 0, 0, 0, 0, 3, 8, 1, 0, 0, 0, 0xB2, 1, 2])
            let refusal = publisher.refusal(within: 20)
            #expect(refusal?.code == .publishFailed)
            #expect(refusal?.description == "Speex is not supported")
        }
    }

    @Test func titlesComeFromTheMetadata() async throws {
        try await RTMPBroadcast.run { broadcast in
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            let values: [AMF0.Value] = [
                .string("@setDataFrame"), .string("onMetaData"), .ecmaArray(["title": .string("Garden")]),
            ]
            let message = Message(.dataAMF0, streamID: 1, payload: AMF0.bytes(of: values))
            publisher.send(ChunkWriter().bytes(of: message, on: .audio))
            #expect(await eventually(within: 20) { broadcast.live.texts.title == "Garden" })
        }
    }

    /// A client that stalls in the handshake, or connects and does nothing, is closed.
    @Test func stalledHandshakesAreClosed() async throws {
        try await RTMPBroadcast.run { options in
            options.handshakeSeconds = 1
        } _: { broadcast in
            let socket = try LoopbackSocket(port: broadcast.port)
            socket.send([3, 0, 0])
            #expect(socket.receive(within: 20) == [])
            #expect(broadcast.lines.text.contains("the client has not connected within 1 s"))
        }
    }

    @Test func otherProtocolsAreNamed() async throws {
        try await RTMPBroadcast.run { broadcast in
            for bytes in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [22, 3, 1, 0, 5]] {
                let socket = try LoopbackSocket(port: broadcast.port)
                socket.send(bytes)
                #expect(socket.receive(within: 20) == [])
            }
            let text = broadcast.lines.text
            #expect(text.contains("the client speaks another protocol, such as HTTP or RTSP"))
            #expect(text.contains("the client speaks TLS, which is not served"))
        }
    }
}
