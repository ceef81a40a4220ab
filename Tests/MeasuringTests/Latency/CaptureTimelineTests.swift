import Media
import TestSupport
import Testing

@testable import Measuring

@Suite struct CaptureTimelineTests {
    private func timeline(
        _ session: SyntheticSession, relation: ClockRelation = .sameMachine, reports: [ReceivedReport] = [],
        firstLive: Int = 0
    ) -> CaptureTimeline {
        CaptureTimeline(
            (0..<session.count).map(session.frame),
            CaptureTimeline.Inputs(
                rate: .video, reports: reports, relation: relation,
                wallClockOffset: SyntheticSession.wallClockOffset, firstLive: firstLive))
    }

    /// RTP time counts ticks of 11 µs.
    private let tick: UInt64 = 11_112

    private func expectCorrect(_ timeline: CaptureTimeline, _ session: SyntheticSession, from first: Int = 0) {
        for number in first..<session.count {
            let capture = timeline.captures[number]
            #expect(capture.map { ($0.instant - session.captured(number)).magnitude <= tick } == true, "\(number)")
        }
    }

    @Test func theFramesOwnSEIHasPrecedence() {
        var session = SyntheticSession()
        session.captureTimestamp = SyntheticSession.correct
        let timeline = timeline(session, reports: [session.report(0, ahead: 7_000_000)])
        expectCorrect(timeline, session)
        #expect(timeline.captures.allSatisfy { $0?.basis == .sei })
        // The report is 7 ms too late, and the difference is reported.
        #expect(timeline.seiAfterReports.median.map { (-7_100_000 ... -6_900_000).contains($0) } == true)
    }

    /// RTP time wraps within these frames.
    @Test func betweenKeyframesWithSEITheRTPTimeCounts() {
        var session = SyntheticSession()
        session.captureTimestamp = { $0 % 30 == 0 ? SyntheticSession.correct($0, $1) : nil }
        let timeline = timeline(session)
        expectCorrect(timeline, session)
        #expect(timeline.captures.count { $0?.basis == .sei } == 3)
        #expect(timeline.captures.count { $0?.basis == .earlierSEI } == 87)
    }

    @Test func withoutSEITheSenderReportsCount() {
        let session = SyntheticSession()
        let timeline = timeline(session, relation: .sameHost, reports: [session.report(10), session.report(60)])
        expectCorrect(timeline, session)
        #expect(timeline.captures.allSatisfy { $0?.basis == .senderReport })
    }

    @Test func aReportIsValidUntilTheNext() {
        let session = SyntheticSession()
        // The sender's wall clock is set back by two seconds, and the next report follows it.
        let timeline = timeline(
            session, relation: .trusted, reports: [session.report(0), session.report(60, ahead: -2_000_000_000)])
        #expect(timeline.captures[50].map { ($0.instant - session.captured(50)).magnitude <= tick } == true)
        let setBack = timeline.captures[70].map { session.captured(70) - $0.instant }
        #expect(setBack.map { ($0 - 2_000_000_000).magnitude <= tick } == true)
    }

    @Test func withoutSEIAndReportsCaptureTimesAreUnknown() {
        let session = SyntheticSession()
        #expect(timeline(session).captures.allSatisfy { $0 == nil })
        #expect(
            timeline(session, relation: .unknown("test"), reports: [session.report(0)]).captures.allSatisfy {
                $0 == nil
            })
    }

    @Test func timestampsOfAFastStartDoNotDenoteCaptureTimes() {
        var session = SyntheticSession()
        session.captureTimestamp = { $0 == 0 ? SyntheticSession.correct($0, $1 + -800_000_000) : nil }
        let timeline = timeline(session, reports: [session.report(0)], firstLive: 30)
        #expect(timeline.captures[0]?.basis == .sei)
        #expect(timeline.captures[1..<30].allSatisfy { $0 == nil })
        #expect(timeline.captures[30...].allSatisfy { $0?.basis == .senderReport })
        expectCorrect(timeline, session, from: 30)
    }

    // MARK: - Wrong times

    struct WrongSEI: Sendable, CustomTestStringConvertible {
        let reason: CaptureTimeline.RejectionReason
        let change: @Sendable (CaptureTimestamp, Int) -> CaptureTimestamp

        var testDescription: String { reason.rawValue }

        static func shifted(
            _ reason: CaptureTimeline.RejectionReason, by nanoseconds: @escaping @Sendable (Int) -> Int64
        ) -> WrongSEI {
            WrongSEI(reason: reason) { captureTimestamp, number in
                var captureTimestamp = captureTimestamp
                captureTimestamp.monotonic = captureTimestamp.monotonic + nanoseconds(number)
                return captureTimestamp
            }
        }
    }

    static let wrongSEIs: [WrongSEI] = [
        .shifted(.future) { _ in 1_000_000_000 },
        .shifted(.future) { _ in 7_000_000 },
        .shifted(.past) { _ in -90_000_000_000 },
        // As if 32 bits of nanoseconds had wrapped.
        .shifted(.jump) { $0 % 2 == 0 ? -4_294_967_296 : 0 },
        WrongSEI(reason: .negative) { captureTimestamp, _ in
            var captureTimestamp = captureTimestamp
            captureTimestamp.monotonic = MonotonicTime(nanoseconds: -5)
            return captureTimestamp
        },
        WrongSEI(reason: .negative) { captureTimestamp, _ in
            var captureTimestamp = captureTimestamp
            captureTimestamp.monotonic = MonotonicTime(nanoseconds: .min)
            return captureTimestamp
        },
        WrongSEI(reason: .future) { captureTimestamp, _ in
            var captureTimestamp = captureTimestamp
            captureTimestamp.monotonic = MonotonicTime(nanoseconds: .max)
            return captureTimestamp
        },
    ]

    @Test(arguments: wrongSEIs)
    func aWrongSEIIsRejected(wrong: WrongSEI) {
        var session = SyntheticSession()
        session.captureTimestamp = { wrong.change(SyntheticSession.correct($0, $1), $0) }
        let timeline = timeline(session, reports: [session.report(0)])
        #expect(timeline.rejectedSEI[wrong.reason, default: 0] >= session.count - 1)
        expectCorrect(timeline, session, from: 1)
        #expect(timeline.captures.dropFirst().allSatisfy { $0?.basis == .senderReport })
    }

    @Test func oneWrongSEIAmongCorrectOnesAffectsTwoFrames() {
        var session = SyntheticSession()
        session.captureTimestamp = { number, captured in
            SyntheticSession.correct(number, number == 45 ? captured + -500_000_000 : captured)
        }
        let timeline = timeline(session, reports: [session.report(0)])
        expectCorrect(timeline, session)
        #expect(timeline.rejectedSEI == [.jump: 2])
        #expect(timeline.captures.count { $0?.basis == .senderReport } == 2)
    }

    @Test func noTimestampCausesATrap() {
        var random = SplitMix64(seed: 66)
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for relation: ClockRelation in [.sameMachine, .trusted, .estimated(offset: .max, error: .max / 2), .sameHost] {
            let words = (0..<200).map { _ in
                (
                    Int64(bitPattern: UInt64.random(in: .min ... .max, using: &random)),
                    extremes.randomElement(using: &random) ?? 0
                )
            }
            var session = SyntheticSession()
            session.count = 200
            session.captureTimestamp = { number, _ in
                CaptureTimestamp(
                    frameNumber: .max, wallClock: NTPTime(rawValue: UInt64(bitPattern: words[number].0)),
                    monotonic: MonotonicTime(nanoseconds: words[number].1), encodingBegins: .max, encodingEnds: .max)
            }
            let reports = words.map {
                ReceivedReport(
                    time: NTPTime(rawValue: UInt64(bitPattern: $0.0)), timestamp: UInt32(truncatingIfNeeded: $0.1),
                    arrival: MonotonicTime(nanoseconds: $0.1))
            }
            #expect(timeline(session, relation: relation, reports: reports).captures.count == 200)
        }
    }

    @Test(arguments: [(60_000_000, .future), (-120_000_000_000, .past)] as [(Int64, CaptureTimeline.RejectionReason)])
    func implausibleReportsAreRejected(ahead: Int64, reason: CaptureTimeline.RejectionReason) {
        let session = SyntheticSession()
        let timeline = timeline(session, relation: .trusted, reports: [session.report(0, ahead: ahead)])
        #expect(timeline.captures.allSatisfy { $0 == nil })
        #expect(timeline.rejectedReports == [reason: session.count])
    }
}
