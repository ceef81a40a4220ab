import Media
import TestSupport
import Testing

@testable import MPEGTS

/// Program clock references: their packets and values (ISO/IEC 13818-1, 2.7.2).
@Suite struct ClockTests {
    @Test(arguments: ElementaryStreamTests.broadcasts)
    func everyFrameCarriesAClockReferenceWithItsDecodeTime(broadcast: Broadcast) {
        let receiver = received(broadcast.units(seconds: 4, seed: 2), tracks: tracks(audioRate: broadcast.audioRate))
        #expect(receiver.units(of: videoPID).allSatisfy { $0.reference == $0.decode })
        #expect(isAscending(receiver.references))
        #expect(receiver.references.allSatisfy { !$0.isDiscontinuity })
    }

    /// 60, 25, 5 and 0.5 frames a second; audio with the longest and the shortest frames.
    @Test(arguments: [1_500, 3_600, 18_000, 180_000] as [Int64], [48_000, 44_100, 32_000] as [Int32])
    func clockReferencesAreLessThanAHundredMillisecondsApart(interval: Int64, hertz: Int32) throws {
        let rate = try #require(ClockRate(hertz: hertz))
        let broadcast = Broadcast(interval: interval, audioRate: rate)
        let receiver = received(broadcast.units(seconds: 6, seed: 3), tracks: tracks(audioRate: rate))
        #expect(receiver.violations == [])
        #expect(longestWait(receiver.references) < 9_000)
        for unit in receiver.packets { #expect(try #require(unit.reference) <= (try #require(unit.decode))) }
    }

    /// Audio is ready before video of the same time, so references before audio must not overtake the video.
    @Test(arguments: [3_000, 13_500, 30_000] as [Int64])
    func theClockStaysBehindLaggingFrames(lag: Int64) throws {
        let broadcast = Broadcast(interval: 18_000, videoLag: lag)
        let receiver = received(broadcast.units(seconds: 8, seed: 4))
        #expect(receiver.violations == [])
        #expect(isAscending(receiver.references))
        // Until the lag has been observed, one video frame may be behind the clock.
        let video = receiver.units(of: videoPID).dropFirst(2)
        for unit in video { #expect(try #require(unit.reference) <= (try #require(unit.decode))) }
        // At the end there is video without audio.
        let amid = receiver.references.filter { (990_000...1_530_000).contains($0.time) }
        #expect(longestWait(amid) < 9_000)
    }

    @Test func aRestartedSourceHasADiscontinuityInItsClock() {
        let first = Broadcast().units(seconds: 2, seed: 5)
        let receiver = received(first + first)
        #expect(receiver.violations == [])
        let breaks = receiver.references.indices.filter { receiver.references[$0].isDiscontinuity }
        #expect(breaks.count == 1)
        #expect(receiver.units(of: videoPID).allSatisfy { $0.reference == $0.decode })
    }

    @Test func aTrackWhoseTimesJumpDoesNotMoveTheClock() {
        var units = Broadcast().units(seconds: 1, seed: 6)
        units.append(audioUnit([[1]], at: 48_000 * 3_600))
        units += [videoUnit([nalUnit(1, 100)], at: 90_000)]
        let receiver = received(units)
        #expect(receiver.references.last?.time == 990_000)
    }

    @Test func theClockWrapsAfterThirtyThreeBits() {
        let wrap: Int64 = 1 << 33
        let units = (0..<6).map { videoUnit([nalUnit(1, 100)], at: wrap - 900_000 - 9_000 + $0 * 3_000) }
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
