import Media
import Testing

@testable import MPEGTS

/// When the program's clock is told, and what (ISO/IEC 13818-1, 2.7.2).
@Suite struct ClockTests {
    @Test(arguments: ElementaryStreamTests.broadcasts)
    func everyPictureTellsItsDecodeTime(broadcast: Broadcast) {
        let receiver = received(broadcast.units(seconds: 4, seed: 2), tracks: tracks(soundRate: broadcast.soundRate))
        #expect(receiver.units(of: picturePID).allSatisfy { $0.reference == $0.decode })
        #expect(isAscending(receiver.references))
        #expect(receiver.references.allSatisfy { !$0.isDiscontinuity })
    }

    /// 60 pictures a second, 25, 5, one in two seconds; sound with the longest and the shortest frames.
    @Test(arguments: [1_500, 3_600, 18_000, 180_000] as [Int64], [48_000, 44_100, 32_000] as [Int32])
    func nobodyWaitsAHundredMillisecondsForTheClock(interval: Int64, hertz: Int32) throws {
        let rate = try #require(ClockRate(hertz: hertz))
        let broadcast = Broadcast(interval: interval, soundRate: rate)
        let receiver = received(broadcast.units(seconds: 6, seed: 3), tracks: tracks(soundRate: rate))
        #expect(receiver.complaints == [])
        #expect(longestWait(receiver.references) < 9_000)
        for unit in receiver.packets { #expect(try #require(unit.reference) <= (try #require(unit.decode))) }
    }

    /// Sound is ready before pictures of the same instant: the clock that sound tells must not overtake them.
    @Test(arguments: [3_000, 13_500, 30_000] as [Int64])
    func theClockKeepsBehindPicturesThatLag(lag: Int64) throws {
        let broadcast = Broadcast(interval: 18_000, pictureLag: lag)
        let receiver = received(broadcast.units(seconds: 8, seed: 4))
        #expect(receiver.complaints == [])
        #expect(isAscending(receiver.references))
        // Until it has been seen how far they lag, one may find the clock ahead of it.
        let pictures = receiver.units(of: picturePID).dropFirst(2)
        for unit in pictures { #expect(try #require(unit.reference) <= (try #require(unit.decode))) }
        // At the end pictures come without sound.
        let amid = receiver.references.filter { (990_000...1_530_000).contains($0.time) }
        #expect(longestWait(amid) < 9_000)
    }

    @Test func aSourceThatStartsAgainTellsAnotherClock() {
        let first = Broadcast().units(seconds: 2, seed: 5)
        let receiver = received(first + first)
        #expect(receiver.complaints == [])
        let breaks = receiver.references.indices.filter { receiver.references[$0].isDiscontinuity }
        #expect(breaks.count == 1)
        #expect(receiver.units(of: picturePID).allSatisfy { $0.reference == $0.decode })
    }

    @Test func aTrackThatLeapsTakesTheClockNowhere() {
        var units = Broadcast().units(seconds: 1, seed: 6)
        units.append(soundUnit([[1]], at: 48_000 * 3_600))
        units += [picture([nalUnit(1, 100)], at: 90_000)]
        let receiver = received(units)
        #expect(receiver.references.last?.time == 990_000)
    }

    @Test func theClockWrapsAfterThirtyThreeBits() {
        let wrap: Int64 = 1 << 33
        let units = (0..<6).map { picture([nalUnit(1, 100)], at: wrap - 900_000 - 9_000 + $0 * 3_000) }
        let times = received(units).references.map(\.time)
        #expect(times == [wrap - 9_000, wrap - 6_000, wrap - 3_000, 0, 3_000, 6_000])
    }

    private func isAscending(_ references: [Receiver.Reference]) -> Bool {
        zip(references, references.dropFirst()).allSatisfy { $0.time <= $1.time }
    }

    private func longestWait(_ references: [Receiver.Reference]) -> Int64 {
        zip(references, references.dropFirst()).map { $1.time - $0.time }.max() ?? 0
    }
}
