import Foundation
import Synchronization
import TestSupport

extension Target {
    /// `cam` has pictures that one can begin with on request alone, or a minute after the last.
    ///
    /// - Parameter body: is given a viewer who has just joined, and so has asked for one if the last is long ago.
    /// - Throws: where `body` is such a request.
    func expectNoRandomAccess(_ body: (RTSPSocket) throws -> Void) throws {
        let viewer = try logIn()
        let (url, session) = try setUp("cam", on: viewer)
        try viewer.request("PLAY", url, session).expect(200)
        func count() -> Int { records[1].randomAccessPointCount }
        // What has been asked for comes within half a second.
        var last = -1
        let isQuiet = soon(within: 5) {
            guard last != count() else { return true }
            last = count()
            pause(0.6)
            return false
        }
        try hold(isQuiet, "others ask for random access all the time")
        try body(viewer)
        pause(0.3)
        try hold(count() == last, "\(count() - last) random access points came of it")
        try viewer.request("TEARDOWN", url, session).expect(200)
    }

    /// Repeats `flood` for so many seconds.
    ///
    /// - Parameter patience: seconds that an answer may take; by default as long as a busy machine may keep a thread waiting.
    /// - Throws: if others were not answered all the time.
    func expectAnswers(during seconds: Double, each patience: Double = 0.4, _ flood: () -> Void) throws {
        let caller = try Caller(of: self, patience: patience)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end { flood() }
        try caller.finish()
    }
}

/// Somebody who asks for the options all the time, on a thread of their own.
private final class Caller: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let isStopped = Atomic(false)
    private let isOver = DispatchSemaphore(value: 0)
    private let answerCount = Atomic(0)

    init(of target: Target, patience: Double) throws {
        Thread.detachNewThread { [self] in
            defer { isOver.signal() }
            do {
                let socket = try target.connect()
                while !isStopped.load(ordering: .acquiring) {
                    socket.send("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n")
                    try socket.expect(200, within: patience)
                    answerCount.add(1, ordering: .relaxed)
                    pause(0.02)
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        // It has come in before the flood.
        try hold(soon { answerCount.load(ordering: .relaxed) > 0 }, "nobody is answered")
    }

    func finish() throws {
        isStopped.store(true, ordering: .releasing)
        isOver.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

/// Waits, on a thread that may.
func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
