import Media
import RTP
import TestSupport
import Testing

/// Capture times of senders that stamp their media and reports as real programs do, in virtual time with a seed.
struct SenderTimingTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000

    /// One unit of a track.
    private struct Unit {
        let captured: Int64
        /// The RTP time, in nanoseconds since the first unit's capture.
        let media: Int64
        /// When it leaves the sender.
        let sent: Int64
    }

    /// A report: the wall clock, and the RTP time that the sender says belongs to it.
    private struct Report {
        let sent: Int64
        let wall: Int64
        let media: Int64
    }

    /// How a program stamps and sends. All times are nanoseconds since the first capture.
    struct Sender: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The RTP time and the time of sending of frame `n`, at 25 frames a second.
        let frame: @Sendable (_ number: Int64) -> (media: Int64, sent: Int64)
        /// The RTP time in a report that is sent now, and the wall clock in it.
        let report: @Sendable (_ now: Int64) -> (media: Int64, wall: Int64)
        var firstReport: Int64 = 0
        var interval: Int64 = 5 * second
        /// The age of a unit at its arrival, after a minute.
        var ages: ClosedRange<Int64> = 0...500 * millisecond
    }

    private static let frame: Int64 = 40 * millisecond

    /// The order of decoding with three B-frames: position in the group, and position in time.
    private static func reordered(_ number: Int64) -> Int64 {
        number == 0 ? 0 : (number - 1) / 4 * 4 + [4, 2, 1, 3][Int((number - 1) % 4)]
    }

    static let senders: [Sender] = [
        Sender(
            testDescription: "ffmpeg, zero latency: reports count from ANNOUNCE, a second before the first frame",
            frame: { ($0 * frame, $0 * frame + 10 * millisecond) }, report: { ($0, $0 + second) }),
        Sender(
            testDescription: "ffmpeg with a lookahead of 9 frames: the frames are 360 ms old",
            frame: { ($0 * frame, ($0 + 9) * frame) }, report: { ($0, $0) }),
        Sender(
            testDescription:
                "ffmpeg -c copy with B-frames: sent at the decode time, stamped with the presentation time",
            frame: { (reordered($0) * frame + 5 * frame, $0 * frame) }, report: { ($0, $0) }),
        Sender(
            testDescription: "ffmpeg -readrate 0.5: the media is half as fast as the clock of the reports",
            frame: { ($0 * frame, 2 * $0 * frame) }, report: { ($0, $0) }),
        Sender(
            testDescription: "ffmpeg -readrate 0.5 with B-frames",
            frame: { (reordered($0) * frame + 5 * frame, 2 * $0 * frame) }, report: { ($0, $0) }),
        Sender(
            testDescription: "GStreamer: the first report comes 2.4 s late, and relates RTP to the time of sending",
            frame: { (reordered($0) * frame, $0 * frame + 2 * frame) }, report: { ($0 - 2 * frame, $0) },
            firstReport: 2_400 * millisecond),
        Sender(
            testDescription: "RootEncoder: the wall clock counts from the start of the phone",
            frame: { ($0 * frame, $0 * frame + 30 * millisecond) }, report: { ($0, $0 + 12_345 * second) },
            interval: 3 * second),
        Sender(
            testDescription: "a camera whose wall clock stands still",
            frame: { ($0 * frame, $0 * frame + 30 * millisecond) }, report: { ($0, 0 * $0) }),
        Sender(
            testDescription: "a camera whose reports are an hour ahead of its media",
            frame: { ($0 * frame, $0 * frame + 30 * millisecond) }, report: { ($0 + 3_600 * second, $0) }),
        Sender(
            testDescription: "a camera whose wall clock is set back and forth by an hour",
            frame: { ($0 * frame, $0 * frame + 30 * millisecond) },
            report: { ($0, $0 + ($0 / (20 * second) % 2) * 3_600 * second) }),
        Sender(
            testDescription: "a file that is sent four times too fast",
            frame: { ($0 * frame, $0 * frame / 4) }, report: { (4 * $0, $0) }),
    ]

    /// No unit is captured after it has arrived, and none is much older than that, whatever the reports say.
    @Test(arguments: senders) func noUnitIsCapturedAfterItsArrival(_ sender: Sender) {
        var timeline = ReceptionTimeline(clockRates: [.video])
        var random = SplitMix64(seed: 1)
        var nextReport = sender.firstReport
        var arrival: Int64 = 0
        for number in 0..<(180 * 25) as Range<Int64> {
            let (media, sent) = sender.frame(number)
            while nextReport <= sent {
                let (reported, wall) = sender.report(nextReport)
                timeline.received(
                    Self.report(media: reported, wall: wall), track: 0,
                    arrival: MonotonicTime(nanoseconds: max(arrival, nextReport)), hostOffset: 0)
                nextReport += sender.interval
            }
            arrival = max(arrival, sent + Int64.random(in: 1...5, using: &random) * Self.millisecond)
            let captured = timeline.capture(
                of: Self.timestamp(media), track: 0, arrival: MonotonicTime(nanoseconds: arrival))
            let age = arrival - captured.nanoseconds
            #expect(age >= 0, "frame \(number)")
            if sent > 60 * Self.second { #expect(sender.ages.contains(age), "frame \(number)") }
        }
    }

    private static func timestamp(_ media: Int64, _ rate: ClockRate = .video) -> UInt32 {
        UInt32(truncatingIfNeeded: rate.ticks(inNanoseconds: media) + 4_294_000_000)
    }

    private static func report(media: Int64, wall: Int64, _ rate: ClockRate = .video) -> SenderReport {
        SenderReport(
            ssrc: SSRC(1), ntpTime: NTPTime(unixNanoseconds: 1_700_000_000 * second + wall),
            rtpTimestamp: timestamp(media, rate), packetCount: 0, octetCount: 0)
    }

    /// ffmpeg puts seven units of AAC in a packet, which it sends with the unit after them. Video comes frame by frame. With reports,
    /// which ffmpeg sends before the first unit, the tracks are in sync from the beginning.
    @Test(arguments: [true, false]) func videoAndAudioOfSevenUnitPacketsAreInSync(hasReports: Bool) {
        var timeline = ReceptionTimeline(clockRates: [.video, .audio48k])
        var random = SplitMix64(seed: 2)
        let unit = 1_024 * Self.second / 48_000
        /// Of the newest unit of each track: the capture time minus the true one.
        var errors: [Int64] = [0, 0]
        var (packets, arrivals): (Int64, [Int64]) = (0, [0, 0])
        func capture(_ captured: Int64, track: Int) {
            let rate = track == 0 ? ClockRate.video : .audio48k
            errors[track] =
                timeline.capture(
                    of: Self.timestamp(captured, rate), track: track,
                    arrival: MonotonicTime(nanoseconds: arrivals[track])
                ).nanoseconds - captured
        }
        func arrive(_ sent: Int64, track: Int) {
            arrivals[track] = max(arrivals[track], sent + Int64.random(in: 0...4, using: &random) * Self.millisecond)
        }
        for number in 0..<(120 * 25) as Range<Int64> {
            let captured = number * Self.frame
            if hasReports, number % 125 == 0 {
                for (track, rate) in [ClockRate.video, .audio48k].enumerated() {
                    timeline.received(
                        Self.report(media: captured, wall: captured, rate), track: track,
                        arrival: MonotonicTime(nanoseconds: captured + Self.millisecond), hostOffset: 0)
                }
            }
            arrive(captured + 5 * Self.millisecond, track: 0)
            capture(captured, track: 0)
            while 7 * (packets + 1) * unit <= captured {
                arrive(7 * (packets + 1) * unit, track: 1)
                for index in 0..<7 as Range<Int64> { capture((7 * packets + index) * unit, track: 1) }
                packets += 1
            }
            let tolerance = (hasReports ? 3 : 25) * Self.millisecond
            if packets > 0 && (hasReports || captured > 2 * Self.second) {
                #expect(abs(errors[0] - errors[1]) < tolerance, "after \(captured / Self.millisecond) ms")
            }
        }
    }

    /// `ffmpeg -c copy` sends frames with B-frames 200 ms before the times that its reports give them, and audio at those times.
    @Test func tracksStayInSyncIfFramesAreSentBeforeTheirReportedTimes() {
        var timeline = ReceptionTimeline(clockRates: [.video, .audio48k])
        for number in 0..<(120 * 25) as Range<Int64> {
            let now = number * Self.frame
            if number % 125 == 0 {
                for (track, rate) in [ClockRate.video, .audio48k].enumerated() {
                    timeline.received(
                        Self.report(media: now, wall: now, rate), track: track,
                        arrival: MonotonicTime(nanoseconds: now),
                        hostOffset: 0)
                }
            }
            func captured(_ media: Int64, track: Int) -> Int64 {
                timeline.capture(
                    of: Self.timestamp(media, track == 0 ? .video : .audio48k), track: track,
                    arrival: MonotonicTime(nanoseconds: now + Self.millisecond)
                ).nanoseconds
            }
            let media = Self.reordered(number) * Self.frame + 5 * Self.frame
            let video = captured(media, track: 0) - media
            let audio = captured(now, track: 1) - now
            #expect(number < 5 || abs(video - audio) < 2 * Self.millisecond, "frame \(number)")
        }
    }

    /// ffmpeg -c copy sends B-frames before their presentation times, and seven units of AAC with the last one. If the reports of both
    /// tracks come together, as before its first packet, audio goes back with the video at once; else when the reports are trusted.
    @Test(arguments: [(0, 3), (1_300, 20)] as [(Int64, Int64)])
    func audioStaysInSyncWithBFrames(milliseconds: Int64, seconds: Int64) {
        var timeline = ReceptionTimeline(clockRates: [.video, .audio48k])
        var random = SplitMix64(seed: 12)
        let unit = 1_024 * Self.second / 48_000
        var (errors, arrivals, packets): ([Int64], [Int64], Int64) = ([0, 0], [0, 0], 0)
        var nextReports = [0, milliseconds * Self.millisecond]
        func arrive(_ sent: Int64, _ media: Int64, track: Int) {
            arrivals[track] = max(arrivals[track], sent + Int64.random(in: 0...4, using: &random) * Self.millisecond)
            let captured = timeline.capture(
                of: Self.timestamp(media, track == 0 ? .video : .audio48k), track: track,
                arrival: MonotonicTime(nanoseconds: arrivals[track]))
            errors[track] = captured.nanoseconds - media
            #expect(captured.nanoseconds <= arrivals[track])
        }
        for number in 0..<(120 * 25) as Range<Int64> {
            let sent = number * Self.frame
            for track in 0...1 where nextReports[track] <= sent {
                timeline.received(
                    Self.report(media: sent, wall: sent, track == 0 ? .video : .audio48k), track: track,
                    arrival: MonotonicTime(nanoseconds: sent), hostOffset: 0)
                nextReports[track] += 5 * Self.second
            }
            arrive(sent, Self.reordered(number) * Self.frame + 5 * Self.frame, track: 0)
            while 7 * (packets + 1) * unit <= sent {
                for index in 0..<7 as Range<Int64> {
                    arrive(7 * (packets + 1) * unit, (7 * packets + index) * unit, track: 1)
                }
                packets += 1
            }
            if sent > seconds * Self.second {
                #expect(abs(errors[0] - errors[1]) < 20 * Self.millisecond, "after \(sent / Self.millisecond) ms")
            }
        }
    }

    /// A camera whose wall clock stands still sends the reports of its tracks two seconds apart.
    @Test func aClockThatStandsStillRelatesNothing() {
        var timeline = ReceptionTimeline(clockRates: [.video, .audio48k])
        for number in 0..<(60 * 25) as Range<Int64> {
            let captured = number * Self.frame
            for (track, rate) in [ClockRate.video, .audio48k].enumerated() {
                let arrival = MonotonicTime(nanoseconds: captured + 20 * Self.millisecond)
                if (number + Int64(track) * 50) % 125 == 0 {
                    timeline.received(
                        Self.report(media: captured, wall: 0, rate), track: track, arrival: arrival, hostOffset: 0)
                }
                let time = timeline.capture(of: Self.timestamp(captured, rate), track: track, arrival: arrival)
                #expect(abs(arrival - time) <= Self.millisecond)
            }
        }
    }

    /// A pulled server's clock is 1000 s wrong and runs 200 ppm off. On the wire a packet takes up to some milliseconds more than no
    /// time at all, which is all that the receiver cannot know.
    @Test(arguments: [200, -200, 0] as [Int64], [true, false])
    func theClockOfAPulledServerIsRelatedToOurs(drift: Int64, hasReports: Bool) {
        var timeline = ReceptionTimeline(clockRates: [.video])
        var random = SplitMix64(seed: 3)
        func media(_ captured: Int64) -> Int64 { captured + captured / 1_000_000 * drift }
        var (arrival, worst): (Int64, Int64) = (0, 0)
        for number in 0..<(600 * 25) as Range<Int64> {
            let captured = number * Self.frame
            arrival = max(arrival, captured + Int64.random(in: 200_000...8 * Self.millisecond, using: &random))
            let time = timeline.capture(
                of: Self.timestamp(media(captured)), track: 0, arrival: MonotonicTime(nanoseconds: arrival))
            if captured > 10 * Self.second { worst = max(worst, abs(time.nanoseconds - captured)) }
            guard hasReports, number % 125 == 0 else { continue }
            let delay = Int64.random(in: 200_000...2 * Self.millisecond, using: &random)
            timeline.received(
                Self.report(media: media(captured), wall: media(captured) + 1_000 * Self.second), track: 0,
                arrival: MonotonicTime(nanoseconds: captured + delay), hostOffset: -1_700_000_000 * Self.second)
        }
        #expect(worst < 5 * Self.millisecond, "\(Double(worst) / 1_000_000) ms")
        if hasReports { #expect(timeline.origin(track: 0) == .senderReports) }
    }
}
