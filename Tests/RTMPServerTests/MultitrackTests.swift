import Delivery
import Media
import Streams
import TestSupport
import Testing

@testable import RTMP

/// Publishers of several video tracks on the real server: each track goes to the path that the configuration gives it.
@Suite(.serialized)
struct MultitrackTests {
    /// A message of a track of H.264 in enhanced RTMP (OneTrack).
    private func message(_ number: UInt8, _ packetType: UInt8, _ data: [UInt8], at time: UInt32 = 0) -> Message {
        Message(
            .video, streamID: 1, timestamp: time, payload: [0x96, packetType] + Array("avc1".utf8) + [number] + data)
    }

    private func start(_ number: UInt8) -> Message {
        message(number, 0, h264Sets.decoderConfigurationRecord ?? [])
    }

    /// A frame whose last byte is `fill`.
    private func frame(_ number: UInt8, fill: UInt8, isKeyframe: Bool = false, at time: UInt32 = 0) -> Message {
        message(number, 3, [0, 0, 0, 2, isKeyframe ? 0x65 : 0x41, fill], at: time)
    }

    private let audioStart = Message(.audio, streamID: 1, payload: [0xAF, 0, 0x11, 0x90])
    private let audioFrame = Message(.audio, streamID: 1, payload: [0xAF, 1, 0xAA])

    /// Publishes a keyframe of each track, whose last byte is `fill` and the track's number.
    private func begin(_ publisher: TestClient, tracks: [UInt8] = [0, 1], fill: UInt8) {
        publisher.send(audioStart)
        for number in tracks { publisher.send(start(number)) }
        for number in tracks { publisher.send(frame(number, fill: fill + number, isKeyframe: true)) }
        publisher.send(audioFrame)
    }

    @Test func eachTrackIsPlayedAtItsPathWithTheAudio() async throws {
        try await RTMPBroadcast.run { broadcast in
            let sub = broadcast.serve(track: 1, at: "/live/sub")
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            begin(publisher, fill: 10)
            #expect(await eventually(within: 20) { sub.stream.announcement != nil })
            #expect(broadcast.live.stream.announcement?.tracks.map(\.kind) == [.video, .audio])
            #expect(sub.stream.announcement?.tracks.map(\.kind) == [.video, .audio])
            #expect(sub.publisher == broadcast.live.publisher)
            #expect(sub.input?.transport == "RTMP")
            let players = try [broadcast.player("live"), broadcast.player("live/sub")]
            for (number, player) in players.enumerated() {
                #expect(player.start())
                #expect(player.read { !player.frames.isEmpty })
                #expect(player.frames.first?.last == 10 + UInt8(number))
            }
            publisher.send(frame(1, fill: 21, at: 40))
            publisher.send(frame(0, fill: 20, at: 40))
            for (number, player) in players.enumerated() {
                #expect(player.read { player.frames.count == 2 })
                #expect(player.frames.last?.last == 20 + UInt8(number))
            }
            #expect(!broadcast.lines.text.contains("not received"))
        }
    }

    @Test func aTrackFollowsItsPublisherThroughTakeoverAndReturn() async throws {
        try await RTMPBroadcast.run { broadcast in
            let sub = broadcast.serve(track: 1, at: "/live/sub")
            let first = try broadcast.publisher()
            #expect(first.start())
            begin(first, fill: 10)
            #expect(await eventually(within: 20) { sub.stream.announcement != nil })
            let player = try broadcast.player("live/sub")
            #expect(player.start() && player.read { player.frames.last?.last == 11 })
            let second = try broadcast.publisher()
            #expect(second.start())
            #expect(first.refusal()?.code == .publishBadName)
            begin(second, fill: 30)
            #expect(player.read { player.frames.last?.last == 31 })
            second.stop()
            #expect(await eventually(within: 20) { sub.publisher == nil && broadcast.live.publisher == nil })
            #expect(!player.isOver, "players stay while nobody publishes")
            let third = try broadcast.publisher()
            #expect(third.start())
            begin(third, fill: 50)
            #expect(player.read { player.frames.last?.last == 51 })
            #expect(!player.isOver)
        }
    }

    /// A path that is being removed, or whose source is restarted, gets nothing more; the main stream goes on.
    @Test func aPathThatIsClosedGetsNoTrackUntilItIsOpenAgain() async throws {
        try await RTMPBroadcast.run { broadcast in
            let sub = broadcast.serve(track: 1, at: "/live/sub")
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            begin(publisher, fill: 10)
            #expect(await eventually(within: 20) { sub.publisher != nil })
            let input = sub.stream.published.byteCount
            sub.close()
            publisher.send(frame(1, fill: 21, at: 40))
            publisher.send(frame(0, fill: 20, at: 40))
            let player = try broadcast.player("live")
            #expect(player.start() && player.read { player.frames.last?.last == 20 })
            #expect(sub.stream.published.byteCount == input)
            sub.open()
            var time: UInt32 = 80
            #expect(
                await eventually(within: 20) {
                    publisher.send(frame(1, fill: 31, isKeyframe: true, at: time))
                    time += 40
                    return sub.stream.published.byteCount > input
                })
            #expect(!player.isOver)
        }
    }

    @Test func aTrackWithoutAPathIsReportedOnceWithTheLineThatServesIt() async throws {
        try await RTMPBroadcast.run { broadcast in
            let publisher = try broadcast.publisher()
            #expect(publisher.start())
            begin(publisher, tracks: [0, 1, 2], fill: 10)
            let line = "live/video2: { source: track:live/2 }"
            #expect(await eventually(within: 20) { broadcast.lines.text.contains(line) })
            publisher.send(start(2))
            publisher.send(frame(2, fill: 22, at: 40))
            // The status counts what is dropped.
            func complaint() -> String? {
                broadcast.live.input?.reception?.leftOut.first {
                    $0.contains(line) && $0.contains("(2 frames dropped)")
                }
            }
            #expect(await eventually(within: 20) { complaint() != nil })
            #expect(broadcast.lines.text.ranges(of: line).count == 1)
            // A path that is configured later gets the track at its next keyframe.
            let sub = broadcast.serve(track: 2, at: "/live/video2")
            #expect(await eventually(within: 20) { sub.publisher != nil })
            publisher.send(frame(2, fill: 32, isKeyframe: true, at: 80))
            let player = try broadcast.player("live/video2")
            #expect(player.start() && player.read { player.frames.first?.last == 32 })
            #expect(await eventually(within: 20) { complaint() == nil })
        }
    }

    @Test func clientsDoNotPublishToThePathOfATrack() async throws {
        try await RTMPBroadcast.run { broadcast in
            _ = broadcast.serve(track: 1, at: "/live/sub")
            let publisher = try broadcast.publisher("live/sub")
            #expect(publisher.refusal()?.description.hasSuffix("has a source of its own") == true)
        }
    }
}
