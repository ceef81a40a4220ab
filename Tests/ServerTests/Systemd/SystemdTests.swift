import Foundation
import Logging
import Media
import Synchronization
import TestSupport
import Testing

@testable import Server

/// What systemd hears, at a socket as it has one.
struct SystemdTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func systemd(_ socket: NotifySocket, _ environment: [String: String] = [:]) -> Systemd {
        Systemd(environment.merging(["NOTIFY_SOCKET": socket.name]) { $1 }, process: 7, log: log)
    }

    @Test func aServiceNotifiesWhenItServesReloadsAndStops() throws {
        let socket = try NotifySocket()
        let systemd = systemd(socket)
        systemd.announceServing("serving 1 path") {}
        #expect(socket.next() == ["READY=1", "STATUS=serving 1 path"])
        var lines: [String]?
        systemd.announceReload({ "serving 2 paths\nREADY=0" }) { lines = socket.next() }
        #expect(lines?.first == "RELOADING=1", "before it begins")
        let start = try #require(lines?.dropFirst().first?.split(separator: "=").last.flatMap { Int64($0) })
        #expect(start <= MonotonicTime.now().nanoseconds / 1_000 && start > 0)
        #expect(socket.next()?.count == 2, "a status is one line whatever is in it")
        systemd.announceEnd()
        #expect(socket.next()?.first == "STOPPING=1")
        #expect(!socket.hasMore)
    }

    @Test func withoutSystemdNothingIsSent() {
        for environment in [[:], ["NOTIFY_SOCKET": "/tmp/apus-no-systemd"], ["NOTIFY_SOCKET": "vsock:2:1234"]] {
            let systemd = Systemd(environment.merging(["WATCHDOG_USEC": "1000"]) { $1 }, process: 7, log: log)
            #expect(systemd.watchdogTimeout == nil)
            systemd.announceServing("") {}
            systemd.announceEnd()
        }
    }

    @Test(
        arguments: [
            ([:], nil), (["WATCHDOG_USEC": "10000000"], 10_000_000_000), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "5", "WATCHDOG_PID": "7"], 5_000), (["WATCHDOG_USEC": "5", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "x"], nil), (["WATCHDOG_USEC": "9223372036854775807"], nil),
        ] as [([String: String], Int64?)])
    func theWatchdogTimeoutIsReadFromTheEnvironment(environment: [String: String], watchdogTimeout: Int64?) throws {
        #expect(systemd(try NotifySocket(), environment).watchdogTimeout == watchdogTimeout)
    }

    @Test func keepalivesAreSentWhileLoopsAnswerAndNotBefore() async throws {
        let socket = try NotifySocket()
        let systemd = systemd(socket, ["WATCHDOG_USEC": "20000"])
        let (questions, asked) = AsyncStream.makeStream(of: Int.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let count = Mutex(0)
        systemd.announceServing("") {
            asked.yield(
                count.withLock { number in
                    number += 1; return number
                })
            for await _ in answers { return }
        }
        #expect(socket.next()?.first == "READY=1")
        var question = questions.makeAsyncIterator()
        for number in 1...3 {
            #expect(await question.next() == number)
            #expect(!socket.hasMore, "no loop has turned yet")
            answer.yield()
            #expect(await eventually(within: 30) { socket.hasMore })
            #expect(socket.next() == ["WATCHDOG=1"])
        }
        answer.finish()
    }

    @Test func allLoopsOfARunningServerTurn() async throws {
        var configuration = Configuration()
        (configuration.server.port, configuration.http.port, configuration.loops.threads) = (0, 0, 2)
        configuration.control.socket = ""
        (configuration.rtp.firstUDPPort, configuration.rtp.lastUDPPort) = (20_000, 24_000)
        let assembly = try Assembly(configuration, log: log)
        try assembly.start()
        await assembly.server.turned()
        #expect(assembly.summary == "serving 1 path at TCP port \(assembly.server.port) (RTSP)")
        assembly.stop()
    }
}
