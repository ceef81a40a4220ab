import Connecting
import Delivery
import Media
import RTMPClient
import RTMPDelivery
import RateControl
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

@testable import RTMP

/// An encoder follows what the connections of RTMP carry (`rate: follow`). The time of these tests is virtual; the connection is real.
@Suite(.serialized)
struct RateTests {
    @Test func aReceiverThatKeepsUpLeavesTheBitrate() throws {
        let link = try SlowLink()
        link.play(seconds: 10, reading: .everything)
        #expect(link.source.last == nil || link.source.last == 1_000_000)
        #expect(link.sender.capacity?.reason == .unconstrained)
    }

    /// Its acknowledgements stop, and come again.
    @Test func aReceiverThatTakesNothingLowersTheBitrateUntilItTakesEverythingAgain() throws {
        let link = try SlowLink()
        link.play(seconds: 3, reading: .everything)
        link.play(seconds: 5, reading: .bytesPerSecond(0))
        let lowest = try #require(link.source.last)
        #expect(lowest < 300_000)
        link.play(seconds: 60, reading: .everything)
        #expect(link.source.last == 1_000_000, "\(link.source.last ?? 0)")
        #expect(link.sender.capacity?.reason == .unconstrained)
    }

    /// 30 KB/s are 240 kbit/s.
    @Test func aSlowReceiverLowersTheBitrateToWhatItTakes() throws {
        let link = try SlowLink()
        link.play(seconds: 3, reading: .everything)
        link.play(seconds: 15, reading: .bytesPerSecond(30_000))
        let bitrate = try #require(link.source.last)
        #expect((100_000..<300_000).contains(bitrate), "\(bitrate)")
    }

    @Test func nothingWaitsForAReceiverThatHasPaused() throws {
        let link = try SlowLink()
        link.play(seconds: 3, reading: .everything)
        link.play(seconds: 5, reading: .bytesPerSecond(0))
        #expect(link.source.last.map { $0 < 300_000 } == true)
        #expect(link.sender.follower.backlog != .none)
        link.pause()
        link.play(seconds: 60, reading: .everything)
        #expect(link.sender.follower.backlog == .none)
        #expect(link.source.last == 1_000_000, "\(link.source.last ?? 0)")
        #expect(link.sender.capacity?.reason == .unconstrained)
    }

    @Test func theEncoderIsAsConfiguredAfterTheLastReceiverHasGone() throws {
        let link = try SlowLink()
        link.play(seconds: 3, reading: .everything)
        link.play(seconds: 5, reading: .bytesPerSecond(0))
        #expect(link.source.last.map { $0 < 300_000 } == true)
        link.paths.end()
        #expect(link.source.last == 1_000_000)
    }

    @Test func withoutAnEncoderThatFollowsNothingIsEstimated() throws {
        let link = try SlowLink()
        link.stream.setRates(nil)
        link.play(seconds: 5, reading: .bytesPerSecond(0))
        #expect(link.sender.capacity == nil)
        link.stream.setRates(SlowLink.settings)
        link.play(seconds: 5, reading: .bytesPerSecond(0))
        #expect(link.sender.capacity.map { $0.rate.bitsPerSecond < 500_000 } == true)
        link.stream.setRates(nil)
        link.play(seconds: 1, reading: .everything)
        #expect(link.sender.capacity == nil)
    }
}

/// Receivers of the real server, and a server that a path is forwarded to. Their paths lose every packet for a while.
@Suite(.serialized)
struct ServedRateTests {
    @Test func aPlayerWhosePathCarriesNothingLowersTheBitrateUntilItHasGone() async throws {
        try await RTMPBroadcast.run { broadcast in
            let source = FollowingSource()
            broadcast.cam.attach(source)
            broadcast.cam.setRates(SlowLink.settings)
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let player = try broadcast.player()
            #expect(player.start() && player.read { player.frames.count == 1 })
            #expect(await isLowered(source, by: broadcast, dropping: player.socket))
            player.socket.endSending()
            #expect(await eventually(within: 20) { source.last == 1_000_000 })
        }
    }

    @Test func aServerWhosePathCarriesNothingLowersTheBitrateOfWhatIsForwarded() async throws {
        let connections = Mutex<[LoopbackSocket]>([])
        // A small window would be full at once, and the server would seem slow instead of the path.
        let server = try SocketServer(bufferByteCount: nil) { socket in
            socket.send(ScriptedRTMP.acceptance(of: .publisher))
            connections.withLock { $0.append(socket) }
        }
        defer { server.stop() }
        let loops = ForwardLoops()
        try await RTMPBroadcast.run(services: [loops.service]) { broadcast in
            let source = FollowingSource()
            broadcast.cam.attach(source)
            broadcast.cam.setRates(SlowLink.settings)
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let url = try #require(RTMPURL("rtmp://127.0.0.1:\(server.port)/live/x"))
            let plan = RTMPForwardPlan(RTMPSessionPlan(url.target(.publish), url.connection, login: nil))
            let forward = Forward(plan, of: broadcast.cam, holdsStream: true, observer: Ignoring(), at: .now())
            loops.start(forward)
            #expect(await eventually(within: 20) { forward.status.packets > 0 })
            let first = connections.withLock { $0.first }
            let socket = try #require(first)
            #expect(await isLowered(source, by: broadcast, dropping: socket))
            forward.stop()
            #expect(await eventually(within: 20) { source.last == 1_000_000 })
        }
        connections.withLock { $0 = [] }
    }

    private struct Ignoring: ForwardObserver {
        func forwardBegan(at now: MonotonicTime) {}
        func forwardEnded(_ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime) -> Int64 { 50 }
    }

    /// Whether the bitrate falls while the socket drops all that arrives, and has not fallen before.
    private func isLowered(
        _ source: FollowingSource, by broadcast: RTMPBroadcast, dropping socket: LoopbackSocket
    ) async -> Bool {
        var count = 0
        let isPlaying = await eventually(within: 20) {
            broadcast.publishFrame()
            _ = socket.receive(within: 0)
            count += 1
            return count > 50
        }
        guard isPlaying, source.last.map({ $0 == 1_000_000 }) ?? true else { return false }
        socket.dropArrivals(true)
        defer { socket.dropArrivals(false) }
        return await eventually(within: 20) {
            broadcast.publishFrame()
            return source.last.map { $0 < 500_000 } == true
        }
    }
}

/// A stream of 25 frames per second that is sent over one connection, and whose source follows what the connection carries: between
/// 100 kbit/s and 1 Mbit/s.
private final class SlowLink {
    enum Reading {
        case everything
        case bytesPerSecond(Int)
    }

    static let settings = EncoderRate.Settings(
        limits: RateLimits(
            minimum: DataRate(bitsPerSecond: 100_000), maximum: DataRate(bitsPerSecond: 1_000_000)))
    /// In milliseconds.
    private static let turn: Int64 = 20
    private static let turnsPerFrame = 2

    let stream = Streams.Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
    let source = FollowingSource()
    let sender: MessageSender
    private(set) var paths: PathObserver
    private let output: TCPOutput
    private let client: TCPSocket
    private let feed: Feed<FLVPackager>
    private let view = FeedView<FLVFrame>()
    private let waker = SilentWaker()
    private var now = MonotonicTime(nanoseconds: 0)
    private var turnCount = 0
    /// What the receiver may still read.
    private var budget = 0

    private final class SilentWaker: Waker {
        func wake() {}
    }

    init() throws {
        stream.attach(source)
        stream.setRates(Self.settings)
        stream.announce([.video])
        let listener = try Listener(at: .loopback(.ipv4, port: 0))
        // The listener is bound, so it has an address.
        client = try TCPSocket(connectingTo: listener.localAddress!)
        try client.setReceiveBuffer(bytes: 8_192)
        let socket = try listener.accept()!.takeSocket()
        try socket.setSendBuffer(bytes: 32_768)
        try socket.limitUnsent(toBytes: 16_384)
        try socket.sendWithoutDelay()
        output = TCPOutput(socket: socket, at: now)
        feed = try #require(stream.feed(FLVPackager.self, options: [], for: waker))
        sender = MessageSender(
            stream, to: [], leading: TrackID(0), over: MessageTransport(output),
            MediaFraming(for: .server, streamID: 1), at: now)
        paths = PathObserver(of: stream, owner: stream)
        feed.update(&view.reader)
        sender.join(
            .none(at: stream.joinPoint(in: feed).nextIndex, .init(limits: FastStart.Limits(), window: 0)), at: now)
    }

    /// The receiver asks for a pause.
    func pause() { sender.pause(at: now) }

    /// Plays in turns of the loop.
    func play(seconds: Int, reading: Reading) {
        for _ in 0..<(seconds * 1_000 / Int(Self.turn)) {
            now = now.advanced(byMilliseconds: Self.turn)
            turnCount += 1
            if turnCount.isMultiple(of: Self.turnsPerFrame) { publish() }
            read(reading)
            serve()
        }
    }

    /// The source's encoder does as it is told.
    private func publish() {
        let bitrate = source.last ?? 1_000_000
        let byteCount = Int(bitrate * Self.turn) * Self.turnsPerFrame / 8_000
        let isKeyframe = (turnCount / Self.turnsPerFrame).isMultiple(of: 50)
        stream.publish(
            .frame(
                isKeyframe: isKeyframe || turnCount == Self.turnsPerFrame, byteCount: byteCount,
                at: MediaTime(nanoseconds: now.nanoseconds, rate: .video)))
    }

    private func serve() {
        output.flush(at: now)
        sender.transport.flush(at: now)
        paths.observe(CollectionOfOne(sender), in: view, at: now)
        feed.update(&view.reader)
        var wantsKeyframe = false
        // A receiver that stalls is to stay here.
        _ = sender.serve(in: view, by: SlowViewerPolicy(), wantsKeyframe: &wantsKeyframe, at: now)
    }

    private func read(_ reading: Reading) {
        switch reading {
        case .everything:
            budget = .max
            // The kernel acknowledges in its own time; until then, nothing else happens.
            let end = ContinuousClock.now + .seconds(20)
            repeat { readBudget() } while output.unacknowledgedByteCount > 0 && ContinuousClock.now < end
        case .bytesPerSecond(let count):
            if budget > count { budget = 0 }
            budget += count * Int(Self.turn) / 1_000
            readBudget()
        }
    }

    private func readBudget() {
        while budget > 0 {
            let outcome = withUnsafeTemporaryAllocation(byteCount: min(budget, 65_536), alignment: 16) {
                client.read(into: $0)
            }
            guard case .bytes(let count) = outcome else { break }
            budget -= count
        }
        client.acknowledgeNow()
        output.flush(at: now)
    }
}
