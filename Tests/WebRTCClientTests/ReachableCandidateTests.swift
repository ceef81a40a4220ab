import Testing
import WebRTC

@testable import WebRTCClient

/// Which candidates of an answer are checked.
struct ReachableCandidateTests {
    private func addresses(_ candidates: [String], ipv6: Bool = true) throws -> [String] {
        let answer = try ReceivedAnswer(parsing: Array(Samples.answer(candidates).utf8))
        return ReachableCandidate.all(of: answer.candidates, for: ipv6 ? .ipv6 : .ipv4).map { "\($0.address)" }
    }

    /// Ten candidates that cannot be reached come before the only one that can.
    @Test func unreachableCandidatesDoNotCount() throws {
        let names = (0..<10).map { "1 1 udp \(900 - $0) cam\($0).local 9 typ host" }
        let others = [
            "1 1 tcp 800 192.0.2.1 9 typ host", "1 1 udp 800 224.0.0.1 9 typ host", "1 1 udp 800 0.0.0.0 9 typ host",
        ]
        #expect(try addresses(names + others + ["1 1 udp 7 192.0.2.1 9 typ host"]) == ["192.0.2.1:9"])
        let family = (0..<10).map { "1 1 udp \(900 - $0) 2001:db8::\($0) 9 typ host" }
        #expect(try addresses(family + ["1 1 udp 7 192.0.2.1 9 typ host"], ipv6: false) == ["192.0.2.1:9"])
    }

    @Test func anAddressCountsOnce() throws {
        let same = (0..<10).map { "\($0) 1 udp \(900 - $0) 192.0.2.1 9 typ host" }
        let spelled = ["1 1 udp 50 2001:db8::1 9 typ host", "1 1 udp 40 2001:DB8:0::0:1 9 typ host"]
        #expect(
            try addresses(same + spelled + ["1 1 udp 7 192.0.2.1 10 typ host"])
                == ["192.0.2.1:9", "[2001:db8::1]:9", "192.0.2.1:10"])
    }

    @Test func theBestEightAreChecked() throws {
        let many = (1...20).map { "1 1 udp \($0) 192.0.2.\($0) 9 typ host" }
        #expect(try addresses(many) == (13...20).reversed().map { "192.0.2.\($0):9" })
    }
}
