import Delivery
import Foundation
import Media
import Reactor
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
        let work = LoopWork()
        try await Broadcast.run(services: [{ WorkProbe($0, work) }], { $0.describeMilliseconds = 1_500 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let viewer = try RTSPSocket(port: broadcast.port)
            let (session, _) = try broadcast.setUp(on: viewer, "RTP/AVP/TCP;unicast;interleaved=0-1")
            #expect(try viewer.request("PLAY", broadcast.url, session).status == 200)
            while viewer.frame(within: 0.1) != nil {}

            let isOver = SharedFlag()
            defer { isOver.set() }
            for _ in 0..<Self.connectionCount { flood(broadcast.port, until: isOver) }
            let longest = try await longestWork(work, before: viewer, hears: broadcast, during: 3)
            #expect(longest < .milliseconds(20) * Sanitizer.patience)
        }
    }

    /// The maximum processor time of the loop's thread from the publication of a frame to its delivery. Wall-clock time would
    /// include the work of other processes.
    private func longestWork(
        _ work: LoopWork, before viewer: RTSPSocket, hears broadcast: Broadcast, during seconds: Double
    ) async throws -> Duration {
        var longest = Duration.zero
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let before = try #require(work.beginFrame())
            broadcast.publish(idr: true)
            while let frame = viewer.frame(within: 30), frame.channel != 0 {}
            // The frame may arrive before its delivery is recorded.
            #expect(await eventually(within: 30) { work.delivery != nil })
            longest = max(longest, .nanoseconds(try #require(work.delivery) - before))
            try await Task.sleep(for: .milliseconds(2))
        }
        return longest
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

/// The processor time of a loop's thread when it has delivered a frame.
private final class LoopWork: Sendable {
    private struct State {
        var clock: clockid_t?
        var delivery: Int64?
    }

    private let state = Mutex(State())

    /// The processor time at the delivery of the first frame since `beginFrame`, in nanoseconds.
    var delivery: Int64? { state.withLock { $0.delivery } }

    /// The processor time now. The next delivery is recorded.
    func beginFrame() -> Int64? {
        state.withLock { state in
            state.delivery = nil
            return state.clock.map(Self.time)
        }
    }

    /// Uses the clock of the calling thread, which is the loop's.
    func useThisThread() {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return }
        state.withLock { $0.clock = clock }
    }

    /// A frame was delivered. Called on the loop's thread.
    func delivered() {
        state.withLock { state in
            if state.delivery == nil { state.delivery = state.clock.map(Self.time) }
        }
    }

    private static func time(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Notes after each delivery whether packets were sent, before anything else in the turn takes time.
private final class WorkProbe: LoopService {
    private let place: LoopPlace
    private let work: LoopWork
    private var packetCount: UInt64?

    init(_ place: LoopPlace, _ work: LoopWork) {
        self.place = place
        self.work = work
    }

    func socketIsReady(_ event: Event, at now: MonotonicTime) {}

    func answer(at now: MonotonicTime) -> MonotonicTime {
        if packetCount == nil { work.useThisThread() }
        let count = place.delivery.statistics.packets
        if let packetCount, count > packetCount { work.delivered() }
        packetCount = count
        return .distantFuture
    }
}
