import Testing

@testable import Impairment

@Suite struct VerificationTests {
    /// What arrives of 40 000 packets of `byteCount` bytes, one each 200 µs, through a link with these settings.
    private func arrivals(_ text: String, seed: UInt64, byteCount: Int) throws -> [ProbeArrival] {
        var link = Link<(Int, Int64)>(try Timetable(text), seed: seed, direction: .up)
        var arrivals: [ProbeArrival] = []
        func take(until time: Int64) {
            while let ((number, sent), due) = link.release(at: time) {
                arrivals.append(ProbeArrival(number: number, sentAt: sent, arrivedAt: due, byteCount: byteCount))
            }
        }
        for number in 0..<40_000 {
            let now = Int64(number) * 200_000
            take(until: now)
            link.receive((number, now), byteCount: byteCount, at: now)
        }
        take(until: .max)
        return arrivals
    }

    private func broken(_ requested: String, actual: String, actualSeed: UInt64 = 1, byteCount: Int = 200) throws
        -> [String]
    {
        let verification = Verification(
            try Timetable(requested), seed: 1, direction: .up,
            arrivals: try arrivals(actual, seed: actualSeed, byteCount: byteCount), sentCount: 40_000,
            intervalNanoseconds: 200_000)
        return verification.findings.filter { !$0.holds }.map(\.name)
    }

    @Test(arguments: [
        "", "loss 10%", "loss gilbert-elliott 2.5% 25%", "delay 40ms", "delay 20ms jitter 2ms", "delay 10ms reorder 2%",
        "rate 4mbit queue 100ms", "delay 10ms rate 4mbit queue 64kB", "at 1s down at 2s up",
    ])
    func aLinkThatKeepsItsSettingsPasses(text: String) throws {
        #expect(try broken(text, actual: text) == [])
    }

    @Test(arguments: [
        ("", "loss 0.1%", ["lost packets as the seed predicts"]),
        ("loss 10%", "loss 11%", ["loss", "lost packets as the seed predicts"]),
        ("loss 10%", "", ["loss", "lost packets as the seed predicts"]),
        ("delay 40ms", "delay 43ms", ["delay"]),
        ("delay 20ms jitter 2ms", "delay 20ms jitter 3ms", ["standard deviation"]),
        ("delay 10ms reorder 2%", "delay 10ms reorder 3%", ["reordered"]),
        ("rate 4mbit queue 100ms", "rate 4.4mbit queue 100ms", ["rate"]),
        ("rate 4mbit queue 100ms", "rate 4mbit queue 120ms", ["wait in the full queue"]),
        ("at 1s down at 2s up", "at 1s down at 2.2s up", ["interruption"]),
        ("", "down", ["packets that arrived"]),
    ])
    func aLinkWithOtherSettingsFails(requested: String, actual: String, findings: [String]) throws {
        #expect(try broken(requested, actual: actual) == findings)
    }

    @Test func anotherSeedFails() throws {
        #expect(try broken("loss 10%", actual: "loss 10%", actualSeed: 2) == ["lost packets as the seed predicts"])
    }
}
