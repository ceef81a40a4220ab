import Media
import SRT
import Streams
import TestSupport
import Testing

@testable import SRTServer

/// Publishers and viewers of the real server, with the real libsrt on loopback.
@Suite(.serialized)
struct MediaTests {
    @Test func whatIsPublishedIsViewedUnchanged() async throws {
        try await SRTBroadcast.run { broadcast in
            let publisher = broadcast.publisher()
            #expect(await publisher.connects())
            #expect(await eventually(within: 20) { broadcast.live.input?.transport == "SRT" })
            publisher.stream.publishFrame(isKeyframe: true, fill: 1)
            publisher.stream.publishFrame(fill: 2)
            #expect(await eventually(within: 20) { broadcast.live.stream.announcement != nil })
            let viewer = broadcast.viewer("live")
            let received = UnitList(of: viewer.stream)
            #expect(await viewer.connects())
            // A frame ends where the next one begins, until it is known that packets contain whole frames.
            var fill: UInt8 = 2
            #expect(
                await eventually(within: 20) {
                    fill = max(1, fill &+ 1)
                    publisher.stream.publishFrame(fill: fill)
                    return received.fills.count > 12
                })
            let fills = received.fills
            let expected = fills.indices.map { index in UInt8(truncatingIfNeeded: 1 + index) }
            #expect(fills == expected, "from the keyframe on, without a gap")
            let frame = try #require(received.units.dropFirst(3).first)
            let slice = frame.units.last.map { frame.bytes[$0] } ?? []
            #expect(slice.dropFirst(3).allSatisfy { $0 == slice.last } && slice.count == 3_000)
            publisher.call.close()
            #expect(await publisher.ends() == .closed)
            #expect(await eventually(within: 20) { broadcast.live.publisher == nil })
            #expect(viewer.end == nil, "viewers stay")
        }
    }

    @Test func capturesKeepTheirDistances() async throws {
        try await SRTBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer()
            let received = UnitList(of: viewer.stream)
            var sent: [Int64] = []
            #expect(await viewer.connects())
            #expect(
                await eventually(within: 20) {
                    sent.append(.now() - broadcast.cam.epoch)
                    broadcast.cam.publishFrame(fill: UInt8(1 + sent.count % 250))
                    return received.fills.count > 20
                })
            let units = received.units.suffix(10)
            for (one, other) in zip(units, units.dropFirst()) {
                #expect(other.presentationTime.ticks > one.presentationTime.ticks)
            }
        }
    }

    @Test func anotherPublisherOfTheSameHostTakesOver() async throws {
        try await SRTBroadcast.run { broadcast in
            let first = broadcast.publisher()
            first.stream.publishFrame(isKeyframe: true, fill: 1)
            #expect(
                await eventually(within: 20) {
                    first.stream.publishFrame(fill: 1)
                    return broadcast.live.stream.announcement != nil
                })
            let viewer = broadcast.viewer("read:live")
            let received = UnitList(of: viewer.stream)
            #expect(
                await eventually(within: 20) {
                    first.stream.publishFrame(fill: 1)
                    return !received.fills.isEmpty
                })
            let second = broadcast.publisher("publish:live")
            #expect(await first.ends() == .disconnected)
            #expect(
                await eventually(within: 20) {
                    second.stream.publishFrame(isKeyframe: true, fill: 2)
                    return received.fills.contains(2)
                })
            #expect(viewer.end == nil)
            #expect(broadcast.lines.text.contains("127.0.0.1 has taken over the stream"))
        }
    }

    @Test func aPublisherWithoutMediaIsEnded() async throws {
        try await SRTBroadcast.run({ $0.silenceSeconds = 1 }) { broadcast in
            let publisher = broadcast.publisher()
            publisher.stream.publishFrame(isKeyframe: true, fill: 1)
            #expect(await publisher.ends() == .disconnected)
            #expect(broadcast.lines.text.contains("no media has come for 1 s"))
        }
    }

    @Test(arguments: [SRTKeyLength.bytes16, .bytes24, .bytes32])
    func mediaIsEncrypted(length: SRTKeyLength) async throws {
        try await SRTBroadcast.run(connection: .secret()) { broadcast in
            let publisher = broadcast.publisher("#!::r=live,m=publish", of: nil, .secret("a long secret", length))
            #expect(
                await eventually(within: 20) {
                    publisher.stream.publishFrame(isKeyframe: true, fill: 1)
                    return broadcast.live.stream.announcement != nil
                })
            let viewer = broadcast.viewer("live", .secret("a long secret", length))
            let received = UnitList(of: viewer.stream)
            #expect(
                await eventually(within: 20) {
                    publisher.stream.publishFrame(isKeyframe: true, fill: 1)
                    return received.fills.count > 3
                })
            #expect(broadcast.live.input?.transport == "SRT, encrypted")
            #expect(await eventually(within: 20) { (publisher.call.status?.statistics?.sentCount ?? 0) > 0 })
        }
    }

    @Test func IPv6IsServed() async throws {
        try await SRTBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer("cam", at: "::1")
            #expect(await viewer.connects())
            #expect(
                await eventually(within: 20) {
                    await broadcast.server.viewers(at: .now()).first?.peer.hasPrefix("[::1]") == true
                })
        }
    }

    @Test func statusShowsViewersAndTheirStatistics() async throws {
        try await SRTBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            let viewer = broadcast.viewer()
            #expect(
                await eventually(within: 20) {
                    broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
                    return await broadcast.server.viewers(at: .now()).first.flatMap(\.statistics).map {
                        $0.sentCount > 20
                    } == true
                })
            let status = try #require(await broadcast.server.viewers(at: .now()).first)
            #expect(status.path == "/cam" && status.droppedUnits == 0 && status.transport == "SRT")
            #expect(status.statistics?.sendLatency == 20_000_000)
            #expect(await broadcast.server.viewerCounts() == ["/cam": 1])
            #expect(await broadcast.server.disconnect(status.id))
            #expect(await viewer.ends() == .disconnected)
            #expect(await !broadcast.server.disconnect(status.id))
            #expect(broadcast.cam.viewerCounts.counts.joined == ["SRT": 1])
        }
    }

    @Test func receptionsHaveTheStatisticsOfPublishers() async throws {
        try await SRTBroadcast.run { broadcast in
            #expect(await broadcast.loop.receptions().isEmpty)
            let publisher = broadcast.publisher()
            #expect(await publisher.connects())
            var statistics: SRTStatistics?
            #expect(
                await eventually(within: 20) {
                    publisher.stream.publishFrame(isKeyframe: true, fill: 1)
                    statistics = await broadcast.loop.receptions()["/live"]
                    return (statistics?.receivedCount ?? 0) > 20
                })
            let received = try #require(statistics)
            #expect(received.receiveLatency == 20_000_000)
            #expect(received.roundTrip > 0 && received.receiveBufferDuration >= 0)
            #expect(received.receiveResentCount <= received.receiveLostCount)
            publisher.call.close()
            #expect(await eventually(within: 20) { await broadcast.loop.receptions().isEmpty })
        }
    }

    @Test func viewersEndWithTheirStream() async throws {
        try await SRTBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer()
            #expect(await eventually(within: 20) { await broadcast.server.viewerCounts() == ["/cam": 1] })
            await broadcast.server.withdraw(broadcast.cam)
            #expect(await viewer.ends() == .disconnected)
            #expect(broadcast.lines.text.contains("the stream has ended"))
        }
    }

    @Test func viewersOfAStreamWithoutInputAreToldSo() async throws {
        try await SRTBroadcast.run { broadcast in
            #expect(await broadcast.viewer().ends() == .disconnected)
            #expect(broadcast.lines.text.contains("/cam has no input"))
        }
    }

    @Test func aStoppedServerEndsAllConnections() async throws {
        try await SRTBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
            let viewer = broadcast.viewer()
            #expect(await viewer.connects())
            broadcast.loop.stop()
            #expect(await viewer.ends() == .closed)
            #expect(await broadcast.server.viewers(at: .now()).isEmpty)
            #expect(broadcast.viewer().end == .failed("SRT has stopped"))
        }
    }
}
