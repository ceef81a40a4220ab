import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import RTSP
@testable import Server

/// Requests to a web server, on separate threads. The tests run one after the other, because one of them counts these threads.
@Suite(.serialized) struct HTTPCallbackTests {
    private func question(from address: String, path: String = "cam") -> ExternalAuthorisationRequest {
        ExternalAuthorisationRequest(
            user: "", password: "", right: .read, path: path, query: "", address: address, security: .clear,
            userAgent: "")
    }

    private func callback(_ web: WebServer) throws -> HTTPCallback {
        var access = Configuration.Access()
        access.httpCallback = web.url
        // On a busy machine, a test may be delayed by more than ten seconds.
        access.httpCallbackMilliseconds = 600_000
        return try #require(HTTPCallback(access, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    }

    /// The number of threads of this process that ask a web server.
    private func threadCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
            // A thread may have ended meanwhile.
            (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "apus-callback\n"
        }
    }

    /// Collects decisions.
    private final class Answers: Sendable {
        private let list = Mutex<[AccessDecision]>([])
        var all: [AccessDecision] { list.withLock { $0 } }
        func take(_ decision: AccessDecision) { list.withLock { $0.append(decision) } }
    }

    /// Requests that blocked threads of the concurrency runtime would keep it from answering the watchdog.
    @Test func requestsBlockTheirOwnThreadsAndOneAddressHasTwo() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let web = try WebServer { _ in
            mayAnswer.wait()
            return 204
        }
        defer { web.stop() }
        let (callback, slow, refused) = (try callback(web), Answers(), Answers())
        for number in 0..<2 {
            callback.decide(question(from: "2001:db8::\(number)", path: "a\(number)"), for: "c", slow.take)
        }
        #expect(await eventually(within: 30) { (try? threadCount()) == 2 })
        callback.decide(question(from: "2001:db8::7", path: "b"), for: "c", refused.take)
        #expect(refused.all == [.tooManyWaiting])
        for _ in 0..<2 { mayAnswer.signal() }
        #expect(await eventually(within: 30) { slow.all == [.admitted, .admitted] })
        #expect(await eventually(within: 30) { (try? threadCount()) == 0 })
    }

    @Test func aRefusedRequestIsSentOnceASecond() async throws {
        let web = try WebServer { _ in 401 }
        defer { web.stop() }
        let (callback, answers, start) = (try callback(web), Answers(), ContinuousClock.now)
        for count in 1...5 {
            callback.decide(question(from: "192.0.2.7"), for: "c", answers.take)
            #expect(await eventually(within: 30) { answers.all == Array(repeating: .refused, count: count) })
        }
        // On a busy machine, this may take longer than a second.
        #expect(web.requests.count <= 1 + Int((ContinuousClock.now - start) / .seconds(1)))
    }
}
