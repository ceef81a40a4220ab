import Delivery
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RTSPServer

/// Pipelined requests on the real server.
@Suite(.serialized)
struct PipeliningTests {
    private static let connectionCount = 63

    /// Without a limit per turn the loop would work on them for half a second in a release build, for several seconds in a debug
    /// build.
    @Test func aMegabyteBehindWaitingRequestsOf63ConnectionsDelaysNoViewer() async throws {
        try await Broadcast.run({ $0.describeMilliseconds = 1_500 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let viewer = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: viewer, "RTP/AVP/TCP;unicast;interleaved=0-1")
            #expect(try viewer.request("PLAY", broadcast.url, session).status == 200)
            while viewer.frame(within: 0.1) != nil {}

            let isOver = SharedFlag()
            defer { isOver.set() }
            for _ in 0..<Self.connectionCount { flood(broadcast.port, until: isOver) }
            let longest = try longestWork(
                of: try await workFile(of: broadcast.server.loops[0]), before: viewer, hears: broadcast, during: 3)
            #expect(longest < .milliseconds(20) * Sanitizer.patience)
        }
    }

    /// The maximum processor time of the loop's thread from the publication of a frame to its arrival. Wall-clock time would
    /// include the work of other processes.
    private func longestWork(
        of file: String, before viewer: RTSPSocket, hears broadcast: Broadcast, during seconds: Double
    ) throws -> Duration {
        func work() throws -> Duration {
            // The first number is nanoseconds on a processor (Documentation/scheduler/sched-stats).
            let text = try String(contentsOfFile: file, encoding: .utf8)
            return .nanoseconds(try #require(text.split(separator: " ").first.flatMap { Int64($0) }))
        }
        var longest = Duration.zero
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let before = try work()
            broadcast.publish(idr: true)
            while let frame = viewer.frame(within: 30), frame.channel != 0 {}
            longest = max(longest, try work() - before)
            Thread.sleep(forTimeInterval: 0.002)
        }
        return longest
    }

    /// The file with the processor time of the loop's thread.
    private func workFile(of loop: MediaLoop) async throws -> String {
        let thread = await loop.with(RTSPService.self) { _ in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        }
        return "/proc/\(try #require(thread ?? nil))/schedstat"
    }

    /// A megabyte of requests behind one that waits, sent from a thread of its own.
    private func flood(_ port: Int, until isOver: SharedFlag) {
        Thread.detachNewThread {
            guard let socket = try? LoopbackSocket(port: port) else { return }
            let waiting = "DESCRIBE rtsp://h/dead RTSP/1.0\r\nCSeq: 1\r\n\r\n"
            let requests = String(repeating: "OPTIONS * RTSP/1.0\nCSeq: 2\n\n", count: 1_000_000 / 29)
            _ = socket.offer(Array((waiting + requests).utf8), patience: 0.2)
            while !isOver.isSet { _ = socket.receive(within: 0.05) }
        }
    }
}

private final class SharedFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
