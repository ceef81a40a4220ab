import Media
import RTP
import Testing

@Suite struct DuplicationSwitchTests {
    private func second(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func itIsOnFromTheFirstLossUntilSixtyCleanSeconds() {
        var copies = DuplicationSwitch()
        copies.reported(newlyLost: 0, lossShare: 0, roundTrip: nil, at: second(1))
        #expect(!copies.isOn(at: second(1)))
        copies.reported(newlyLost: 3, lossShare: 0.01, roundTrip: nil, at: second(2))
        copies.reported(newlyLost: 1, lossShare: 0.01, roundTrip: nil, at: second(30))
        #expect(copies.isOn(at: second(2)) && copies.isOn(at: second(89)))
        #expect(!copies.isOn(at: second(90)))
    }

    @Test func heavyLossIsCongestion() {
        var copies = DuplicationSwitch()
        copies.reported(newlyLost: 30, lossShare: 0.2, roundTrip: nil, at: second(1))
        #expect(!copies.isOn(at: second(1)))
        copies.reported(newlyLost: 1, lossShare: 0.01, roundTrip: nil, at: second(50))
        #expect(!copies.isOn(at: second(60)) && copies.isOn(at: second(61)))
    }

    @Test func aLongerRoundTripIsCongestion() {
        var copies = DuplicationSwitch()
        copies.reported(newlyLost: 0, lossShare: 0, roundTrip: 20_000_000, at: second(1))
        copies.reported(newlyLost: 1, lossShare: 0.01, roundTrip: 130_000_000, at: second(2))
        #expect(!copies.isOn(at: second(2)))
    }
}
