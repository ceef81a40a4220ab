import Media
import Reactor
import Testing

@testable import RTSPServer

@Suite struct LossMemoryTests {
    private let host = SocketAddress("192.0.2.7", port: 5_000)!
    private let bad = LossMemory.Outcome(sent: 10_000, missing: 101)
    private let good = LossMemory.Outcome(sent: 10_000, missing: 100)

    private func second(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private func refers(_ memory: inout LossMemory, _ userAgent: String, at time: Int64) -> Bool {
        memory.refersToTCP(host: host, userAgent: userAgent, at: second(time))
    }

    @Test func twoBadSessionsReferAClientToTCPForTenMinutes() {
        var memory = LossMemory()
        memory.ended(bad, host: host, userAgent: "Lavf59", at: second(0))
        #expect(!refers(&memory, "Lavf59", at: 1))
        memory.ended(bad, host: host.with(port: 9), userAgent: "Lavf59", at: second(2))
        #expect(refers(&memory, "Lavf59", at: 3))
        // Other clients of the host, and of other hosts, are not affected.
        #expect(!refers(&memory, "GStreamer/1.22", at: 3))
        let isOtherReferred = memory.refersToTCP(
            host: SocketAddress("192.0.2.8", port: 1)!, userAgent: "Lavf59", at: second(3))
        #expect(!isOtherReferred)
        #expect(!refers(&memory, "Lavf59", at: 602))
    }

    @Test func aGoodSessionForgivesABadOne() {
        var memory = LossMemory()
        for outcome in [bad, good, bad, .init(sent: 999, missing: 999), .init(sent: 10_000, missing: nil)] {
            memory.ended(outcome, host: host, userAgent: "Lavf59", at: second(0))
        }
        #expect(!refers(&memory, "Lavf59", at: 1))
    }

    @Test func aClientThatDoesNotTryTCPIsServedOverUDP() {
        var memory = LossMemory()
        for _ in 0..<3 { memory.ended(bad, host: host, userAgent: "Lavf59", at: second(0)) }
        memory.declinedTCP(host: host, userAgent: "Lavf59")
        #expect(!refers(&memory, "Lavf59", at: 1))
    }

    @Test func lossesAreRememberedByHost() {
        var memory = LossMemory()
        #expect(!memory.hasLost(at: host, second(0)))
        memory.ended(.init(sent: 10, missing: 1), host: host, userAgent: nil, at: second(0))
        #expect(memory.hasLost(at: host.with(port: 77), second(599)) && !memory.hasLost(at: host, second(600)))
    }

    @Test func itsSizeIsBounded() {
        var memory = LossMemory()
        for number in 0..<3_000 {
            for _ in 0..<2 {
                memory.ended(
                    bad, host: host, userAgent: "\(number)" + String(repeating: "x", count: 5_000),
                    at: second(Int64(number)))
            }
        }
        let remembered = (0..<3_000).filter {
            refers(&memory, "\($0)" + String(repeating: "x", count: 5_000), at: 3_000)
        }
        #expect(remembered.count <= 600 && remembered.contains(2_999))
    }
}
