import Media
import RTP
import RateControl
import Reactor
import Streams
import Synchronization
import Testing

@testable import Delivery

/// Viewers move between a path and its substream, within their session.
@Suite(.serialized)
struct RenditionTests {
    /// A source that makes its next frame a keyframe if it is asked to.
    private final class EncodingSource: Streams.Source {
        private let isKeyframeDue = Atomic(false)
        var status: SourceStatus? { SourceStatus() }
        func requestKeyframe() { isKeyframeDue.store(true, ordering: .relaxed) }
        func takeKeyframe() -> Bool { isKeyframeDue.exchange(false, ordering: .relaxed) }
    }

    /// A path with 800 kbit/s and its substream with 80, at 25 frames/s.
    private final class Scene {
        let broadcast = Broadcast()
        let low: Streams.Stream
        private let (source, lowSource) = (EncodingSource(), EncodingSource())
        /// Whether the substream is encoded sooner than its path.
        private let isLowSooner: Bool
        static let (frameBytes, lowFrameBytes) = (4_000, 400)

        init(isLowSooner: Bool = false) {
            self.isLowSooner = isLowSooner
            low = Streams.Stream(path: "/cam/sub", clock: broadcast.stream.clock)
            low.announce(broadcast.stream.announcement!.tracks)
            broadcast.stream.attach(source)
            low.attach(lowSource)
            broadcast.stream.renditions = Renditions(
                own: DataRate(bitsPerSecond: 840_000),
                substreams: [.init(low, rate: DataRate(bitsPerSecond: 84_000))])
            publish(idr: true)
        }

        /// The substream has an encoder again.
        func encodeLow() { low.attach(lowSource) }

        /// Publishes a frame of the path, and the frame before it of the substream, which is encoded later; or the same frame of the
        /// substream, and of the path some milliseconds later.
        func publish(idr: Bool = false) {
            let number = broadcast.frameCount
            if isLowSooner {
                publishLow(number, idr: number == 0)
                broadcast.turn(after: 3)
            }
            broadcast.publish(idr: source.takeKeyframe() || idr, byteCount: Self.frameBytes)
            if !isLowSooner, number > 0 { publishLow(number - 1, idr: number == 1) }
        }

        private func publishLow(_ number: Int64, idr: Bool) {
            low.publish(
                Broadcast.frame(number, idr: lowSource.takeKeyframe() || idr, byteCount: Self.lowFrameBytes))
        }

        /// Plays until a condition holds, for some seconds at most.
        ///
        /// - Returns: whether it holds.
        func play(seconds: Int, until isMet: () -> Bool, each: () -> Void = {}) -> Bool {
            for _ in 0..<(seconds * 25) where !isMet() {
                publish()
                broadcast.turn(after: 40)
                each()
            }
            return isMet()
        }

        func run(seconds: Int, each: () -> Void = {}) { _ = play(seconds: seconds, until: { false }, each: each) }
    }

    /// The packets of interleaved frames.
    private func packets(_ bytes: [UInt8]) -> [Packet] {
        var (packets, rest): ([Packet], ArraySlice<UInt8>) = ([], bytes[...])
        while rest.count >= 4, let first = rest.first, first == 0x24 {
            let start = rest.startIndex
            let end = start + 4 + (Int(rest[start + 2]) << 8 | Int(rest[start + 3]))
            guard end <= rest.endIndex else { break }
            if rest[start + 1] == 0, let packet = Packet([UInt8](rest[(start + 4)..<end])) { packets.append(packet) }
            rest = rest[end...]
        }
        return packets
    }

    private func isContiguous(_ packets: [Packet]) -> Bool {
        zip(packets, packets.dropFirst()).allSatisfy {
            $1.header.sequenceNumber == $0.header.sequenceNumber.advanced(by: 1)
                && Int32(bitPattern: $1.header.timestamp &- $0.header.timestamp) >= 0
        }
    }

    @Test func aViewerWithASlowConnectionGetsTheSubstreamAndComesBack() throws {
        let scene = Scene()
        let client = try TCPClient()
        #expect(scene.broadcast.start(client.viewer, moves: true))
        var bytes: [UInt8] = []
        // After the fast start, the client reads 20 kB/s: a fifth of the path, and twice the substream.
        scene.run(seconds: 3) { bytes += client.read() }
        #expect(client.viewer.network.rendition == nil)
        var budget = 0
        let hasMoved = scene.play(seconds: 4, until: { client.viewer.network.rendition == "/cam/sub" }) {
            budget += 800
            bytes += client.read(upTo: &budget)
            client.output.flush(at: scene.broadcast.now)
            scene.broadcast.delivery.outputBecameWritable(of: client.viewer, at: scene.broadcast.now)
        }
        #expect(hasMoved)
        // Now it reads everything.
        let isBack = scene.play(seconds: 60, until: { client.viewer.network.rendition == nil }) {
            bytes += client.read()
            client.output.flush(at: scene.broadcast.now)
            scene.broadcast.delivery.outputBecameWritable(of: client.viewer, at: scene.broadcast.now)
        }
        #expect(isBack, "\(client.viewer.network)")
        bytes += client.readAll()
        let received = packets(bytes)
        #expect(received.count > 300)
        #expect(isContiguous(received))
    }

    @Test func aViewerThatDoesNotMoveStays() throws {
        let scene = Scene()
        let client = try TCPClient()
        #expect(scene.broadcast.start(client.viewer))
        scene.run(seconds: 5)
        #expect(client.viewer.network.rendition == nil && client.viewer.network.capacity == nil)
    }

    /// The viewer returns to the path as soon as the substream's tracks change, or the substream is removed.
    @Test func aViewerReturnsIfItsRenditionEnds() throws {
        let scene = Scene()
        let client = try TCPClient()
        #expect(scene.broadcast.start(client.viewer, moves: true))
        #expect(scene.play(seconds: 8, until: { client.viewer.network.rendition != nil }))
        scene.low.announce([])
        scene.broadcast.turn(after: 10)
        #expect(client.viewer.network.rendition == nil)
        let ends = scene.broadcast.delivery.takeEvents().contains { if case .ended = $0 { true } else { false } }
        #expect(!ends && scene.broadcast.delivery.viewerCount == 1)
    }

    /// Its client reports nothing, so nothing else would move it. Either encoder may be the faster one.
    @Test(arguments: [false, true])
    func aViewerMovesToTheRenditionThatAnOperatorChooses(isLowSooner: Bool) throws {
        let scene = Scene(isLowSooner: isLowSooner)
        var client = try UDPClient(usesGSO: true)
        let (viewer, delivery) = (client.viewer, scene.broadcast.delivery)
        #expect(delivery.fixRendition(of: viewer, to: "/cam/sub", at: scene.broadcast.now) == .stays)
        #expect(scene.broadcast.start(viewer, moves: true))
        var received: [Packet] = []
        func moves(to path: String?, showing shown: String?) -> Bool {
            delivery.fixRendition(of: viewer, to: path, at: scene.broadcast.now) == .chosen
                && scene.play(seconds: 3, until: { viewer.network.rendition == shown }) { received += client.packets() }
        }
        #expect(delivery.fixRendition(of: viewer, to: "/other", at: scene.broadcast.now) == .noSuchRendition)
        #expect(moves(to: "/cam/sub", showing: "/cam/sub"))
        // The path carries more, and the viewer stays nevertheless.
        scene.run(seconds: 20) { received += client.packets() }
        #expect(viewer.network.rendition == "/cam/sub")
        #expect(moves(to: "/cam", showing: nil))
        #expect(moves(to: "/cam/sub", showing: "/cam/sub"))
        #expect(moves(to: nil, showing: nil))
        #expect(isContiguous(received))
        let reasons = delivery.takeEvents().compactMap { event in
            if case .moved(_, _, let reason) = event { "\(reason)" } else { nil }
        }
        #expect(reasons.count == 4 && reasons.dropLast().allSatisfy { $0 == "chosen by an operator" }, "\(reasons)")
    }

    /// Stands for what encodes audio as Opus: the test publishes into the companion by hand.
    private final class OpusCompanion: ViewerTranscoding {
        let stream: Streams.Stream

        init(of stream: Streams.Stream, _ tracks: [Track]) {
            self.stream = Streams.Stream(companionOf: stream)
            self.stream.announce(tracks)
            self.stream.attach(EncodingSource())
            stream.viewerTranscoding = self
        }

        func companion(of stream: Streams.Stream, for tracks: [Track], as codec: Codec) -> Streams.Stream? {
            codec == .opus ? self.stream : nil
        }
    }

    /// Audio of both renditions is encoded again for browsers, and a browser gets that of the rendition to which it moves.
    @Test func aViewerForWhomAudioIsEncodedAgainMoves() throws {
        let broadcast = Broadcast(hasAudio: true)
        let tracks = try #require(broadcast.stream.announcement?.tracks)
        let low = Streams.Stream(path: "/cam/sub", clock: broadcast.stream.clock)
        low.announce(tracks)
        broadcast.stream.renditions = Renditions(
            own: DataRate(bitsPerSecond: 840_000), substreams: [.init(low, rate: DataRate(bitsPerSecond: 84_000))])
        let opus = Track(id: TrackID(1), format: .opus(channelCount: 2))
        let companions = [broadcast.stream, low].map { OpusCompanion(of: $0, [tracks[0], opus]) }
        var client = try UDPClient(usesGSO: true, trackCount: 2, needsOpus: true)
        func publish(_ number: Int64) {
            for (companion, byteCount) in zip(companions, [4_000, 400]) {
                companion.stream.publish(Broadcast.frame(number, idr: number % 5 == 0, byteCount: byteCount))
            }
            broadcast.turn(after: 40)
        }
        publish(0)
        #expect(broadcast.start(client.viewer, moves: true))
        #expect(
            broadcast.delivery.fixRendition(of: client.viewer, to: "/cam/sub", at: broadcast.now) == .chosen)
        var received: [Packet] = []
        for number in 1...60 as ClosedRange<Int64> {
            publish(number)
            received += client.packets()
        }
        #expect(client.viewer.network.rendition == "/cam/sub")
        #expect(isContiguous(received))
        #expect(received.last.map { $0.payload.count < 1_000 } == true, "what comes is the companion of the substream")
        broadcast.delivery.pause(client.viewer)
        #expect(companions.allSatisfy { !$0.stream.demand.isNeeded })
    }

    @Test func aSubstreamWithOtherTracksIsNoRendition() throws {
        let scene = Scene()
        scene.low.announce([Track(id: TrackID(0), clockRate: .audio48k, format: .opus(channelCount: 2))])
        let client = try TCPClient()
        #expect(scene.broadcast.start(client.viewer, moves: true))
        scene.run(seconds: 5)
        #expect(client.viewer.network.rendition == nil)
        #expect(client.viewer.network.capacity.map { $0.rate.bitsPerSecond < 700_000 } == true)
    }

    @Test func aViewerThatLeavesWhileItMovesLeavesNothingBehind() throws {
        let scene = Scene()
        let client = try TCPClient()
        #expect(scene.broadcast.start(client.viewer, moves: true))
        // No keyframe comes, so that the move does not end.
        scene.low.attach(nil)
        #expect(scene.play(seconds: 8, until: { client.viewer.renditions?.move?.feed != nil }))
        scene.broadcast.delivery.pause(client.viewer)
        #expect(scene.broadcast.delivery.audiences.isEmpty)
        #expect(!scene.low.demand.isNeeded)
    }

    /// A move is begun anew after the substream's source was replaced while its keyframe was awaited.
    @Test func aMoveSurvivesTheEndOfItsTarget() throws {
        let scene = Scene()
        let client = try TCPClient()
        #expect(scene.broadcast.start(client.viewer, moves: true))
        let tracks = try #require(scene.low.announcement?.tracks)
        scene.low.attach(nil)
        #expect(scene.play(seconds: 8, until: { client.viewer.renditions?.move?.feed != nil }))
        scene.low.announce([])
        scene.broadcast.turn(after: 10)
        #expect(client.viewer.renditions?.move == nil)
        scene.low.announce(tracks)
        scene.encodeLow()
        #expect(scene.play(seconds: 5, until: { client.viewer.network.rendition == "/cam/sub" }))
    }

    /// Datagrams: another viewer of the same path notices nothing.
    @Test func oneViewerMovesAndTheOtherStays() throws {
        let scene = Scene()
        var client = try UDPClient(usesGSO: true)
        var other = try UDPClient(usesGSO: true)
        #expect(scene.broadcast.start(client.viewer, moves: true))
        #expect(scene.broadcast.start(other.viewer, moves: true))
        var (received, receivedByOther): ([Packet], [Packet]) = ([], [])
        var frame = 0
        let hasMoved = scene.play(seconds: 10, until: { client.viewer.network.rendition != nil }) {
            received += client.packets()
            receivedByOther += other.packets()
            frame += 1
            guard frame % 25 == 0, let track = client.viewer.tracks[0] else { return }
            let report = ReportBlock(
                ssrc: track.rewriter.ssrc, fractionLost: 128, cumulativeLost: Int32(track.packetIndex - 65_530) / 2,
                extendedHighestSequenceNumber: UInt32(truncatingIfNeeded: track.packetIndex), jitter: 0,
                lastSenderReport: 0, delaySinceLastSenderReport: 0)
            scene.broadcast.delivery.received(report, of: client.viewer, at: scene.broadcast.now)
        }
        #expect(hasMoved, "\(client.viewer.network)")
        scene.run(seconds: 1) {
            received += client.packets()
            receivedByOther += other.packets()
        }
        #expect(other.viewer.network.rendition == nil)
        #expect(isContiguous(received) && isContiguous(receivedByOther))
        #expect(Set(received.map(\.header.ssrc)).count == 1)
        #expect(received.last.map { $0.payload.count < 1_000 } == true)
    }
}
