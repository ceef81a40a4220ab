import Delivery
import Media
import RTSP
import Streams
import TestSupport
import Testing

@testable import RTMP

/// Players over RTMP on the real server.
@Suite(.serialized)
struct PlayingTests {
    @Test func aPlayerGetsTheFastStartAndThenEachFrame() async throws {
        try await RTMPBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true, fill: 1)
            for fill in 2...4 { broadcast.publishFrame(fill: UInt8(fill)) }
            let player = try broadcast.player()
            #expect(player.start() && player.read { player.frames.count == 4 })
            for fill in 5...6 { broadcast.publishFrame(fill: UInt8(fill)) }
            #expect(player.read { player.frames.count == 6 })
            #expect(player.frames.map { $0.last } == [1, 2, 3, 4, 5, 6])
            // Metadata and decoder configuration come first.
            #expect(player.media.prefix(2).map(\.type) == [.dataAMF0, .video])
            #expect(zip(player.media, player.media.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
            let viewers = await broadcast.rtmp.viewers(at: .now())
            #expect(viewers.map(\.path) == ["/cam"] && viewers.first?.transport == "RTMP")
            #expect(await broadcast.rtmp.viewerCounts() == ["/cam": 1])
        }
    }

    /// VLC and others that use libavformat play only after 40 frames. These have more bytes than a fast start over RTSP may have.
    @Test func theFastStartBeginsAtAnEarlierKeyframeIfTheLastIsYoung() async throws {
        try await RTMPBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            for index in 0..<70 {
                broadcast.publishFrame(isKeyframe: index % 30 == 0, fill: UInt8(index), byteCount: 20_000)
            }
            let player = try broadcast.player()
            #expect(player.start() && player.read { player.frames.count == 70 })
            #expect(player.frames.first?.last == 0)
        }
    }

    @Test func aPlayerWithoutHistoryStartsAtAKeyframe() async throws {
        try await RTMPBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            let player = try broadcast.player()
            #expect(player.start())
            broadcast.publishFrame(fill: 1)
            broadcast.publishFrame(isKeyframe: true, fill: 2)
            #expect(player.read { player.frames.count == 1 })
            #expect(player.frames.first?.last == 2)
        }
    }

    /// A player with a small receive window, which has the first frame.
    private func slowPlayer(of broadcast: RTMPBroadcast) throws -> TestClient {
        broadcast.cam.announce([.video])
        broadcast.publishFrame(isKeyframe: true, fill: 1)
        let player = try broadcast.player(bufferByteCount: 8_192)
        #expect(player.start() && player.read { player.frames.count == 1 })
        return player
    }

    /// A client that does not read for a while skips to a keyframe, and gets no half message.
    @Test func aSlowPlayerSkipsToAKeyframe() async throws {
        try await RTMPBroadcast.run { options in
            options.policy.maximumLag = 200_000_000
            // This test may wait for its turn longer than the usual 10 s.
            options.policy.maximumStall = 120_000_000_000
        } _: { broadcast in
            let player = try slowPlayer(of: broadcast)
            var number = 0
            let hasSkipped = await eventually(within: 20) {
                if number < 90 {
                    broadcast.publishFrame(isKeyframe: number % 10 == 0, fill: UInt8(number + 2), byteCount: 60_000)
                }
                number += 1
                return await broadcast.rtmp.viewers(at: .now()).first.map { $0.droppedUnits > 0 } == true
            }
            #expect(hasSkipped)
            // Frames that come while it reads.
            let hasResumed = player.read(within: 20) {
                number += 1
                broadcast.publishFrame(isKeyframe: number % 3 == 0, fill: 100, byteCount: 2_000)
                return player.frames.last?.last == 100
            }
            #expect(hasResumed)
            let fills = player.frames.compactMap { $0.last }
            let gap = try #require((1..<fills.count).first { fills[$0] > fills[$0 - 1] + 1 })
            #expect(TestClient.isKeyframe(player.frames[gap]))
            // Keyframes have their parameter sets, too.
            let counts = [1_009, 60_009, 2_009].flatMap { [$0, $0 + 39] }
            #expect(player.frames.allSatisfy { counts.contains($0.count) })
        }
    }

    /// The rest of the frame that its window had no room for is still sent.
    @Test func aBlockedPlayerThatPausesIsNotBehind() async throws {
        try await RTMPBroadcast.run { options in
            options.policy.maximumStall = 120_000_000_000
        } _: { broadcast in
            let player = try slowPlayer(of: broadcast)
            func viewer() async -> FollowerStatus? { await broadcast.rtmp.viewers(at: .now()).first }
            var number: UInt8 = 1
            let isBehind = await eventually(within: 20) {
                number = number % 250 + 1
                broadcast.publishFrame(fill: number, byteCount: 60_000)
                return await viewer().map { $0.lag > 1_000_000_000 } == true
            }
            #expect(isBehind)
            let pause = CommandMessage("pause", transaction: 0, .boolean(true), .number(0))
            player.send(ChunkWriter().bytes(of: pause.message(streamID: 1), on: .command))
            // The time that frames have waited does not count any more; what the kernel has not taken does.
            #expect(await eventually(within: 20) { await viewer().map { $0.lag < 1_000_000_000 } == true })
            #expect(player.read { player.frames.count >= 2 })
            #expect(await eventually(within: 20) { await viewer().map { $0.lag == 0 } == true })
            let count = player.frames.count
            broadcast.publishFrame(isKeyframe: true, fill: 255)
            #expect(!player.read(within: 0.3) { player.frames.count > count })
        }
    }

    /// It sends all commands at once, and waits for each stream's media in turn.
    @Test func aClientThatStopsAndPlaysAnotherStreamGetsIt() async throws {
        try await RTMPBroadcast.run {
            $0.sourceMilliseconds = 60_000
        } _: { broadcast in
            let socket = try LoopbackSocket(port: broadcast.port)
            let packet = Handshake.packet(random: [UInt8](repeating: 7, count: 1536))
            let writer = ChunkWriter()
            func command(_ name: String, object: AMF0.Value = .null, _ argument: AMF0.Value = .null) -> [UInt8] {
                let message = CommandMessage(name, transaction: 1, object: object, argument)
                return writer.bytes(of: message.message(streamID: 1), on: .command)
            }
            socket.send(
                [3] + packet + packet + command("connect", object: .object(["app": .string("")]))
                    + command("play", .string("cam")) + command("closeStream") + command("play", .string("live")))
            #expect(await eventually(within: 20) { broadcast.cam.demand.isNeeded })
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            #expect(await eventually(within: 20) { broadcast.live.stream.demand.isNeeded })
            broadcast.live.stream.announce([.video])
            var fillCount = 0
            #expect(
                await eventually(within: 20) {
                    // The second stream that it plays within half a second has no fast start.
                    let time = MediaTime(nanoseconds: .now() - broadcast.live.stream.epoch, rate: .video)
                    broadcast.live.stream.publish(.frame(isKeyframe: true, fill: 77, at: time))
                    fillCount += (socket.receive(within: 0.05) ?? []).count { $0 == 77 }
                    return fillCount >= 999
                })
        }
    }

    @Test func aPlayerThatTakesNothingIsDisconnected() async throws {
        try await RTMPBroadcast.run { options in
            options.policy.maximumStall = 1_000_000_000
        } _: { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let player = try broadcast.player(bufferByteCount: 4_096)
            #expect(player.start())
            for _ in 0..<40 { broadcast.publishFrame(isKeyframe: true, byteCount: 100_000) }
            #expect(
                await eventually(within: 20) {
                    broadcast.publishFrame(isKeyframe: true, byteCount: 100_000)
                    return broadcast.lines.text.contains("the client took no data for 1 s")
                })
            #expect(await broadcast.rtmp.viewerCounts() == [:])
        }
    }

    @Test func anOperatorDisconnectsAPlayer() async throws {
        try await RTMPBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let player = try broadcast.player()
            #expect(player.start())
            let viewer = try #require(await broadcast.rtmp.viewers(at: .now()).first)
            let id = try #require(ViewerID(viewer.id))
            #expect(await broadcast.rtmp.disconnect(id))
            #expect(player.refusal()?.code == .playStop)
        }
    }

    @Test func theEndOfTheStreamEndsItsPlayers() async throws {
        try await RTMPBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let player = try broadcast.player()
            #expect(player.start())
            await broadcast.rtmp.withdraw(broadcast.cam)
            #expect(player.refusal()?.code == .playStop)
        }
    }

    @Test func theServersViewerLimitApplies() async throws {
        try await RTMPBroadcast.run {
            _ in
        } limits: {
            $0.maximumViewers = 1
        } _: { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let first = try broadcast.player()
            #expect(first.start())
            #expect(try broadcast.player().refusal()?.description == "the server has too many viewers")
        }
    }

    @Test func theServersConnectionLimitApplies() async throws {
        try await RTMPBroadcast.run {
            _ in
        } limits: {
            $0.connectionLimits.total = 2
        } _: { broadcast in
            let sockets = try (0..<4).map { _ in try LoopbackSocket(port: broadcast.port) }
            #expect(sockets[2].receive(within: 20) == [] && sockets[3].receive(within: 20) == [])
            #expect(sockets[0].receive(within: 0.1) == nil && sockets[1].receive(within: 0.1) == nil)
            #expect(broadcast.lines.text.contains("too many connections"))
        }
    }
}
