import Foundation
import Synchronization
import TestSupport

extension Target {
    /// Expects that `body` causes no keyframe. `cam` has keyframes only on request, or one minute after the last.
    ///
    /// - Parameter body: Called with a viewer that has just joined, which may have caused a keyframe.
    /// - Throws: `Breach` if `body` causes a keyframe.
    func expectNoKeyframe(_ body: (RTSPSocket) throws -> Void) throws {
        let viewer = try logIn()
        let (url, session) = try setUp("cam", on: viewer)
        try viewer.request("PLAY", url, session).expect(200)
        func count() -> Int { records[1].keyframeCount }
        // A requested keyframe comes within half a second.
        var last = -1
        let isQuiet = soon(within: 5) {
            guard last != count() else { return true }
            last = count()
            pause(0.6)
            return false
        }
        try verify(isQuiet, "other clients request keyframes all the time")
        try body(viewer)
        pause(0.3)
        try verify(count() == last, "\(count() - last) additional keyframes")
        try viewer.request("TEARDOWN", url, session).expect(200)
    }

    /// Repeats `flood` for `seconds` and expects the server to answer another client meanwhile.
    ///
    /// - Throws: `Breach` if a response came too late.
    func expectAnswers(during seconds: Double, _ flood: () -> Void) throws {
        let caller = try Caller(of: self)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end { flood() }
        try caller.finish()
    }
}

/// A client that sends OPTIONS continuously, on its own thread.
private final class Caller: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let isStopped = Atomic(false)
    private let isOver = DispatchSemaphore(value: 0)
    private let answerCount = Atomic(0)

    /// The allowed seconds per response: the longest delay of a thread on a busy machine. A loop that handles all waiting requests
    /// of 63 connections in one turn delays a response for a second.
    private static let patience = 0.4

    init(of target: Target) throws {
        Thread.detachNewThread { [self] in
            defer { isOver.signal() }
            do {
                let socket = try target.connect()
                while !isStopped.load(ordering: .acquiring) {
                    socket.send("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n")
                    try socket.expect(200, within: Self.patience)
                    answerCount.add(1, ordering: .relaxed)
                    pause(0.02)
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        // The client is connected before the flood begins.
        try verify(soon { answerCount.load(ordering: .relaxed) > 0 }, "no request succeeds")
    }

    func finish() throws {
        isStopped.store(true, ordering: .releasing)
        isOver.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

/// Blocks the calling thread.
func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
