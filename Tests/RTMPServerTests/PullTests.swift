import Connecting
import Delivery
import Media
import RTMPClient
import RTSP
import RTSPServer
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

@testable import RTMP

/// A server that pulls a stream from another by RTMP. Here both are one.
@Suite(.serialized)
struct PullTests {
    /// Waits for the end of a pull on a thread of its own.
    private final class Ending: Sendable {
        let text = Mutex<String?>(nil)

        init(of pull: RTMPPull) throws {
            try startDetachedThread(name: "pull") { [self] in
                let end = pull.wait()
                text.withLock { $0 = end.map { "\($0)" } ?? "stopped" }
            }
        }
    }

    private func pulling(
        _ path: String = "cam", _ body: (RTMPBroadcast, Streams.Stream, RTMPPull, Ending) async throws -> Void
    ) async throws {
        let loops = RTMPPullLoops()
        try await RTMPBroadcast.run(services: [loops.service]) { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true, fill: 1)
            let copy = Streams.Stream(path: "/copy", epoch: .now())
            broadcast.directory.insert(copy, options: PathOptions(title: "copy"))
            let pull = try RTMPPull(try broadcast.plan(.play, path), into: StreamInput(into: copy, trust: .auto))
            let ending = try Ending(of: pull)
            loops.start(pull)
            try await body(broadcast, copy, pull, ending)
            pull.stop()
        }
    }

    @Test func whatAServerPullsReachesItsViewers() async throws {
        try await pulling { broadcast, copy, pull, ending in
            #expect(await eventually(within: 20) { copy.announcement != nil })
            #expect(copy.announcement?.tracks == [.video])
            let player = try broadcast.player("copy")
            #expect(player.start() && player.read { player.frames.count == 1 })
            for fill in 2...40 { broadcast.publishFrame(fill: UInt8(fill)) }
            #expect(player.read { player.frames.count == 40 })
            #expect(player.frames.map { $0.last } == (1...40).map { $0 })
            #expect(await eventually(within: 20) { pull.status?.tracks.first?.packetCount == 40 })
            pull.stop()
            #expect(await eventually(within: 20) { ending.text.withLock(\.self) == "stopped" })
            // The other server was told.
            #expect(await eventually(within: 20) { await broadcast.rtmp.viewerCounts()["/cam"] == nil })
        }
    }

    @Test func aStreamThatIsNotThereIsReported() async throws {
        try await pulling("nothing") { _, _, _, ending in
            #expect(await eventually(within: 20) { ending.text.withLock(\.self) != nil })
            let text = ending.text.withLock(\.self) ?? ""
            #expect(
                text.hasPrefix("the server refused: ") && text.hasSuffix("(NetStream.Play.StreamNotFound)"), "\(text)")
        }
    }

    @Test func theEndOfTheStreamEndsThePull() async throws {
        try await pulling { broadcast, copy, _, ending in
            #expect(await eventually(within: 20) { copy.announcement != nil })
            broadcast.cam.end()
            await broadcast.rtmp.withdraw(broadcast.cam)
            #expect(await eventually(within: 20) { ending.text.withLock(\.self) != nil })
            #expect(ending.text.withLock(\.self)?.hasPrefix("the server ended the stream: ") == true)
        }
    }
}
