import Media
import RTP
import TestSupport
import Testing

/// The timeline of received units, in virtual time with a seed.
struct ReceptionTimelineTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000

    /// A source with a video track and an audio track. The test sets the drift and shift of its clock, and the delays.
    private struct Source {
        var timeline = Self.timeline()
        var random = SplitMix64(seed: 1)
        /// How much faster the source's clock is, in parts per million.
        var drift: Int64 = 0
        /// Added to the RTP time of all units and reports.
        var shift: Int64 = 0
        /// From capture to arrival, at least.
        var delay: Int64 = 20 * millisecond
        var jitter: Int64 = 30 * millisecond
        /// The host's monotonic time when its wall clock showed 0. The source's clock shows 1000 s when the test begins.
        var hostOffset: Int64 = 0
        private var lastArrival: [Int64] = [0, 0]

        init(_ trust: SenderClockTrust = .auto) {
            timeline = Self.timeline(trust)
        }

        private static func timeline(_ trust: SenderClockTrust = .auto) -> ReceptionTimeline {
            ReceptionTimeline(clockRates: [.video, .audio48k], trust: trust)
        }

        func media(_ captured: Int64) -> Int64 { captured + captured / 1_000_000 * drift + shift }

        func timestamp(_ captured: Int64, track: Int) -> UInt32 {
            let rate = track == 0 ? ClockRate.video : .audio48k
            return UInt32(truncatingIfNeeded: rate.ticks(inNanoseconds: media(captured)) + 4_294_960_000)
        }

        /// Sends a unit.
        ///
        /// - Returns: how much later than the capture the timeline puts it, and its age at arrival.
        mutating func send(_ captured: Int64, track: Int = 0, later: Int64 = 0) -> (error: Int64, age: Int64) {
            let jitter = Int64.random(in: 0...max(1, jitter), using: &random)
            let arrival = max(lastArrival[track], captured + delay + later + jitter)
            lastArrival[track] = arrival
            let time = timeline.capture(
                of: timestamp(captured, track: track), track: track, arrival: MonotonicTime(nanoseconds: arrival))
            return (time.nanoseconds - captured, arrival - time.nanoseconds)
        }

        /// Sends a sender report of this instant; its wall clock shows `wall`, or advances as the source's clock does.
        mutating func report(_ instant: Int64, track: Int, wall: Int64? = nil) {
            let report = SenderReport(
                ssrc: SSRC(1), ntpTime: NTPTime(unixNanoseconds: wall ?? media(instant) + 1_000 * second),
                rtpTimestamp: timestamp(instant, track: track), packetCount: 0, octetCount: 0)
            timeline.received(
                report, track: track, arrival: MonotonicTime(nanoseconds: instant + delay), hostOffset: hostOffset)
        }
    }

    private static func frames(_ seconds: Range<Int64>, rate: Int64 = 25) -> some Sequence<Int64> {
        (seconds.lowerBound * rate..<seconds.upperBound * rate).lazy.map { $0 * second / rate }
    }

    @Test(arguments: [0, 100, -100] as [Int64]) func theLeastDelayIsFollowedForADay(drift: Int64) {
        var source = Source()
        source.drift = drift
        // The timestamps wrap on the way.
        for (number, frame) in Self.frames(0..<86_400, rate: 5).enumerated() {
            let (error, age) = source.send(frame)
            #expect(age >= 0)
            if number > 150 { #expect(abs(error - source.delay) < 10 * Self.millisecond) }
        }
        #expect(source.timeline.jumpCount == 0)
    }

    /// The units since the last keyframe come at once, the oldest first.
    @Test func aBurstAtTheStartDoesNotDelayWhatFollows() {
        var source = Source()
        for frame in Self.frames(0..<2) { _ = source.send(frame, later: 2 * Self.second - frame) }
        for frame in Self.frames(2..<10) { #expect(source.send(frame).error <= 50 * Self.millisecond) }
    }

    /// Audio comes 220 ms late because the source collects it; the reports tell.
    @Test func reportsBringTracksInSync() {
        var source = Source()
        var errors: [Int64] = [0, 0]
        for frame in Self.frames(0..<120) {
            errors = [source.send(frame).error, source.send(frame, track: 1, later: 220 * Self.millisecond).error]
            if frame % (5 * Self.second) == 0 { for track in 0...1 { source.report(frame, track: track) } }
        }
        #expect((0...1).allSatisfy { source.timeline.origin(track: $0) == .senderReports })
        #expect(abs(errors[0] - errors[1]) < 2 * Self.millisecond)
    }

    /// After the first two seconds, corrections below 250 ms change the distance of two frames by at most 0.5 %, and larger ones are
    /// made at once.
    @Test(arguments: [200, 400] as [Int64]) func smallCorrectionsAreGradual(milliseconds: Int64) throws {
        var source = Source()
        source.jitter = 0
        var largest: Int64 = 0
        var last: Int64?
        for frame in Self.frames(0..<120) {
            let error = source.send(frame, later: milliseconds * Self.millisecond).error
            if let last { largest = max(largest, abs(error - last)) }
            last = error
            if frame > 0, frame % (5 * Self.second) == 0 { source.report(frame, track: 0) }
        }
        let step = milliseconds * Self.millisecond
        #expect(
            milliseconds < 250 ? largest <= Self.second / 25 / 200 + 30_000 : abs(largest - step) < Self.millisecond)
        #expect(abs(try #require(last) - source.delay) < 2 * Self.millisecond)
    }

    /// Wall clocks that stand still, or advance otherwise than RTP.
    @Test(arguments: [0, 900_000, 1_100_000] as [Int64]) func reportsThatDisagreeWithRTPAreIgnored(perMillion: Int64) {
        var source = Source()
        for frame in Self.frames(0..<120) {
            let (error, _) = source.send(frame)
            if frame > 10 * Self.second { #expect(abs(error - source.delay) < 10 * Self.millisecond) }
            if frame % (5 * Self.second) == 0 { source.report(frame, track: 0, wall: frame / 1_000_000 * perMillion) }
            #expect(source.timeline.origin(track: 0) == .arrival)
        }
    }

    @Test(arguments: [-3_600, -2, 2, 3_600] as [Int64]) func aJumpBeginsAnewAtArrival(seconds: Int64) {
        var source = Source()
        for frame in Self.frames(0..<20) { _ = source.send(frame) }
        source.shift = seconds * Self.second
        for frame in Self.frames(20..<40) {
            let (error, age) = source.send(frame)
            #expect(age >= 0 && error <= 50 * Self.millisecond)
        }
        #expect(source.timeline.jumpCount == 1)
    }

    /// After an interruption, late units keep their times.
    @Test func lateUnitsAreNoJump() {
        var source = Source()
        for frame in Self.frames(0..<20) { _ = source.send(frame) }
        for frame in Self.frames(20..<25) {
            let (error, _) = source.send(frame, later: 25 * Self.second - frame)
            #expect(abs(error - source.delay) < 5 * Self.millisecond)
        }
        for frame in Self.frames(25..<40) {
            #expect(abs(source.send(frame).error - source.delay) < 5 * Self.millisecond)
        }
        #expect(source.timeline.jumpCount == 0)
    }

    /// RTP clocks that stand still, count milliseconds, or are a sixth too slow: arrival is the best that is known.
    @Test(arguments: [-1_000_000, -988_889, -160_000, 190_000] as [Int64]) func aWrongRateIsReplacedByArrival(
        drift: Int64
    ) {
        var source = Source()
        source.drift = drift
        for frame in Self.frames(0..<300) {
            let (_, age) = source.send(frame)
            #expect((0...6 * Self.second).contains(age))
            if frame > 60 * Self.second { #expect(age == 0) }
        }
    }

    /// How capture times are determined, and how wrong they are, if the source's clock is ahead of the host's by `ahead` nanoseconds.
    /// Units take 20 to 50 ms from capture to arrival, reports 20 ms.
    private static func origins(_ trust: SenderClockTrust, ahead: Int64) -> (origin: CaptureTimeOrigin, error: Int64) {
        var source = Source(trust)
        source.hostOffset = -1_000 * second + ahead
        var error: Int64 = 0
        for frame in frames(0..<120) {
            error = source.send(frame).error
            _ = source.send(frame, track: 1)
            if frame % (5 * second) == 0 { for track in 0...1 { source.report(frame, track: track) } }
        }
        return (source.timeline.origin(track: 0), error)
    }

    /// A synchronised sender's clock gives the exact time of capture; without it, the least delay cannot be known.
    @Test func theSendersClockIsBelievedIfItIsPlausible() {
        let table: [(SenderClockTrust, Int64, CaptureTimeOrigin, Int64)] = [
            (.auto, 0, .senderClock, 0), (.source, 0, .senderClock, 0), (.arrival, 0, .senderReports, 20),
            (.auto, -900, .senderClock, -900), (.auto, -2_000, .senderReports, 20),
            (.source, -2_000, .senderClock, -2_000),
            (.source, -6_000, .senderReports, 20), (.auto, 1_000, .senderReports, 20),
            (.source, 1_000, .senderReports, 20),
        ]
        for (trust, ahead, origin, error) in table {
            let outcome = Self.origins(trust, ahead: ahead * Self.millisecond)
            #expect(outcome.origin == origin, "\(trust), \(ahead) ms")
            #expect(abs(outcome.error - error * Self.millisecond) < 5 * Self.millisecond, "\(trust), \(ahead) ms")
        }
    }

    /// At the limit of what is believed, the clock must not step to and fro with each report.
    @Test func aSenderAtTheLimitOfBeliefStaysBelieved() {
        var source = Source(.auto)
        source.hostOffset = -1_000 * Self.second - 960 * Self.millisecond
        var origins: Set<CaptureTimeOrigin> = []
        for frame in Self.frames(0..<300) {
            _ = source.send(frame)
            if frame % (5 * Self.second) == 0 { source.report(frame + frame / 2_000 % 60_000_000, track: 0) }
            if frame > 60 * Self.second { origins.insert(source.timeline.origin(track: 0)) }
        }
        #expect(origins == [.senderClock])
    }

    /// The sender's clock is 200 ppm off for ten minutes. The age of its units stays the same, and so does the level of viewers'
    /// buffers.
    @Test(arguments: [200, -200] as [Int64], [true, false]) func aDriftIsFollowed(drift: Int64, hasReports: Bool) throws
    {
        var source = Source()
        source.drift = drift
        var errors: [Int64] = []
        for frame in Self.frames(0..<600) {
            let error = source.send(frame).error
            if frame >= 60 * Self.second { errors.append(error) }
            if hasReports, frame % (5 * Self.second) == 0 { source.report(frame, track: 0) }
        }
        let range = try #require(errors.max()) - (try #require(errors.min()))
        #expect(range < 12 * Self.millisecond)
        let measured = try #require(source.timeline.drift(track: 0))
        #expect(abs(measured - Double(drift)) < 20)
    }
}
