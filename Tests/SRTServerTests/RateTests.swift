import Delivery
import Media
import RateControl
import Streams
import TestSupport
import Testing

@testable import SRTServer

/// An encoder follows what connections of the real libsrt carry (`rate: follow`), over a relay that passes less than is sent.
@Suite(.serialized)
struct RateTests {
    private static let settings = EncoderRate.Settings(
        limits: RateLimits(
            minimum: DataRate(bitsPerSecond: 100_000), maximum: DataRate(bitsPerSecond: 1_000_000)))

    @Test func aViewerWhosePathIsSlowLowersTheBitrateUntilItHasGone() async throws {
        try await SRTBroadcast.run { broadcast in
            let source = FollowingSource()
            broadcast.cam.attach(source)
            broadcast.cam.setRates(Self.settings)
            broadcast.cam.announce([.video])
            let relay = try SlowRelay(to: broadcast.target("").address)
            defer { relay.stop() }
            var target = broadcast.target("cam")
            target.address = relay.address
            let sink = Streams.Stream(path: "/sink", epoch: .now())
            let viewer = TestCall(sink) {
                broadcast.loop.receive(
                    from: target, into: StreamInput(into: sink, trust: .arrival), silenceSeconds: 120, events: $0)
            }
            #expect(await isLowered(source, of: broadcast.cam, to: sink, over: relay))
            viewer.call.close()
            #expect(await viewer.ends() == .closed)
            #expect(await eventually(within: 20) { source.last == 1_000_000 })
        }
    }

    /// Forwards use such a call.
    @Test func aServerWhosePathIsSlowLowersTheBitrateOfWhatIsSentToIt() async throws {
        try await SRTBroadcast.run { broadcast in
            let (stream, source) = (Streams.Stream.withVideo(), FollowingSource())
            stream.attach(source)
            stream.setRates(Self.settings)
            let relay = try SlowRelay(to: broadcast.target("").address)
            defer { relay.stop() }
            var target = broadcast.target("#!::r=live,m=publish")
            target.address = relay.address
            let publisher = TestCall(stream) { broadcast.loop.send(stream, to: target, events: $0) }
            #expect(await isLowered(source, of: stream, to: broadcast.live.stream, over: relay))
            publisher.call.close()
            #expect(await publisher.ends() == .closed)
            #expect(await eventually(within: 20) { source.last == 1_000_000 })
        }
    }

    /// Whether the bitrate stays while the relay passes everything, and falls when it passes less.
    private func isLowered(
        _ source: FollowingSource, of stream: Streams.Stream, to sink: Streams.Stream, over relay: SlowRelay
    ) async -> Bool {
        var count: UInt8 = 0
        /// Some 100 frames of 3 000 bytes in a second.
        func publish() {
            count = count % 250 + 1
            stream.publishFrame(isKeyframe: count % 50 == 1, fill: count)
        }
        let received = UnitList(of: sink)
        let isReceived = await eventually(within: 20) {
            publish()
            return received.fills.count > 60
        }
        guard isReceived, source.last.map({ $0 == 1_000_000 }) ?? true else { return false }
        relay.pass(bitsPerSecond: 300_000)
        return await eventually(within: 20) {
            publish()
            return source.last.map { $0 < 500_000 } == true
        }
    }
}
