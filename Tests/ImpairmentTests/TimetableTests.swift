import Testing

@testable import Impairment

@Suite struct TimetableTests {
    private func settings(_ change: (inout Impairments) -> Void) -> Impairments {
        var settings = Impairments()
        change(&settings)
        return settings
    }

    @Test func everySettingIsRead() throws {
        let table: [(String, (inout Impairments) -> Void)] = [
            ("", { _ in }),
            ("loss 2%", { $0.loss = .independent(0.02) }),
            (
                "loss gilbert-elliott 1% 25%",
                { $0.loss = .gilbertElliott(GilbertElliott(enter: 0.01, leave: 0.25)) }
            ),
            (
                "loss gilbert-elliott 1% 25% 80% 0.5% down",
                {
                    $0.loss = .gilbertElliott(
                        GilbertElliott(enter: 0.01, leave: 0.25, lossWhenBad: 0.8, lossWhenGood: 0.005))
                    $0.isDown = true
                }
            ),
            ("delay 40ms jitter 500us", { ($0.delayNanoseconds, $0.jitterNanoseconds) = (40_000_000, 500_000) }),
            ("reorder 1%", { $0.reordering = Reordering(probability: 0.01) }),
            ("reorder 1% by 20ms", { $0.reordering = Reordering(probability: 0.01, holdNanoseconds: 20_000_000) }),
            ("rate 4mbit", { $0.rateLimit = RateLimit(bitsPerSecond: 4_000_000) }),
            ("RATE 1.5Mbit queue 64kB", { $0.rateLimit = RateLimit(bitsPerSecond: 1_500_000, queue: .bytes(64_000)) }),
        ]
        for (text, change) in table {
            #expect(try Timetable(text) == Timetable(settings(change)), "\(text)")
        }
    }

    @Test func laterSettingsChangeOnlyWhatTheyName() throws {
        let timetable = try Timetable("delay 10ms at 5s down at 1min up rate 1mbit")
        #expect(timetable.entries.map(\.startNanoseconds) == [0, 5_000_000_000, 60_000_000_000])
        #expect(timetable.settings(at: 4_999_999_999) == settings { $0.delayNanoseconds = 10_000_000 })
        #expect(timetable.settings(at: 5_000_000_000).isDown)
        let last = settings {
            $0.delayNanoseconds = 10_000_000
            $0.rateLimit = RateLimit(bitsPerSecond: 1_000_000)
        }
        #expect(timetable.settings(at: .max) == last)
    }

    @Test(arguments: [
        ("lose 2%", "unknown setting lose"),
        ("loss 2", "loss: 2 is not a percentage, such as 2%"),
        ("loss 101%", "loss: 101% is not a percentage, such as 2%"),
        ("delay", "delay:  is not a duration, such as 40ms"),
        ("delay -1ms", "delay: -1ms is not a duration, such as 40ms"),
        ("delay 1e99s", "delay: 1e99s is not a duration, such as 40ms"),
        ("rate 0mbit", "rate: 0 is not a rate above 0, such as 4mbit"),
        ("queue 10ms", "queue: needs a rate before it"),
        ("delay 1ms jitter 2ms", "jitter: must not exceed the delay"),
        ("at 5s down at 5s up", "at: the times must rise"),
        ("at 0s down", "at: the times must rise"),
    ])
    func aMistakeIsNamed(text: String, message: String) {
        #expect(throws: TimetableError(description: message)) { try Timetable(text) }
    }
}
