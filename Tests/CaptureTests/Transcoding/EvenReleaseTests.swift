import Media
import Testing

@testable import Capture

/// Encoded audio leaves as evenly as it was captured.
@Suite struct EvenReleaseTests {
    private static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    private func unit(_ number: Int) -> AccessUnit {
        let time = MediaTime(nanoseconds: Int64(number) * 10_000_000, rate: .audio48k)
        return AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: [1], units: [0..<1])
    }

    /// The times in milliseconds at which units leave that come at these times.
    private func departures(of arrivals: [Double]) -> [Double] {
        var release = EvenRelease()
        var left: [Double] = []
        func letGo(until end: MonotonicTime) {
            while let deadline = release.nextDeadline, deadline <= end {
                #expect(release.next(at: deadline + -1) == nil, "nothing leaves early")
                while release.next(at: deadline) != nil { left.append(Double(deadline - Self.start) / 1e6) }
            }
        }
        for (number, arrival) in arrivals.enumerated() {
            let now = Self.start + Int64(arrival * 1e6)
            letGo(until: now + -1)
            release.add(unit(number), presentedAt: Self.start + Int64(number) * 10_000_000, at: now)
            letGo(until: now)
        }
        letGo(until: .distantFuture)
        return left
    }

    /// AAC at 48 kHz: a unit of 1 024 samples comes every 21.3 ms, and a frame of 480 samples once its samples are there.
    @Test func framesFromLongerUnitsLeaveEvenly() {
        let unit = 1_024.0 / 48
        let arrivals = (0..<200).map { number in (Double(number + 1) * 10 / unit).rounded(.up) * unit }
        let departures = departures(of: arrivals)
        #expect(departures.count == 200)
        #expect(zip(arrivals, departures).allSatisfy { $1 >= $0 - 0.001 && $1 < $0 + unit + 0.001 })
        // One of 32 is the latest.
        let distances = zip(departures.dropFirst(32), departures.dropFirst(33)).map { $1 - $0 }
        #expect(distances.allSatisfy { abs($0 - 10) < 0.001 })
    }

    @Test func nothingIsKeptForLong() {
        // One unit comes 900 ms late.
        let departures = departures(of: [0, 10, 940, 940, 940] + (5..<100).map { Double($0) * 10 + 940 })
        #expect(departures.count == 100)
        let limit = Double(EvenRelease.longest) / 1e6
        #expect(zip([0, 10, 940, 940, 940], departures).allSatisfy { $1 <= $0 + limit })
    }

    @Test func lateUnitsAreForgotten() {
        // From the second second on, all come 30 ms sooner.
        let arrivals = (0..<600).map { Double($0) * 10 + ($0 < 100 ? 40 : 10) }
        let departures = departures(of: arrivals)
        #expect(abs(departures[150] - arrivals[150] - 30) < 0.001)
        #expect(abs(departures[500] - arrivals[500]) < 0.001)
    }
}
