import Media

/// What a recording tells: the clocks' relation, when each live frame was captured, and all distributions.
public struct MeasuredStream: Sendable {
    let plan: MeasurePlan
    let recording: Recording
    public let clocks: ClockRelation
    let timeline: CaptureTimeline
    /// The frames that count, with what was computed for each.
    let frames: [MeasuredFrame]
    /// Of frames' last packets: differences in spacing, compared with RTP time.
    let spacing: Distribution

    init(_ plan: MeasurePlan, _ recording: Recording) {
        self.plan = plan
        self.recording = recording
        clocks = ClockRelation(Self.evidence(plan, recording))
        let firstLive = recording.firstLive ?? recording.frames.count
        timeline = CaptureTimeline(
            recording.frames,
            CaptureTimeline.Sources(
                rate: recording.videoRate, reports: recording.videoReports, relation: clocks,
                wallClockOffset: recording.wallClockOffset, firstLive: firstLive))
        frames = Self.measured(recording, timeline)
        spacing = Self.spacing(recording)
    }

    private static func evidence(_ plan: MeasurePlan, _ recording: Recording) -> ClockRelation.Evidence {
        var evidence = ClockRelation.Evidence()
        evidence.assumption = plan.clocks
        evidence.isOwnAddress = plan.isOwnAddress
        evidence.wallClockOffset = recording.wallClockOffset
        evidence.stamps = recording.frames.compactMap { frame in frame.stamp.map { ($0, frame.lastPacket) } }
        evidence.reports = recording.videoReports + recording.audioReports
        evidence.roundTrip = recording.roundTrip
        return evidence
    }

    private static func measured(_ recording: Recording, _ timeline: CaptureTimeline) -> [MeasuredFrame] {
        var transit = TransitTime(rate: recording.videoRate)
        // What is least delayed may come at any time: all are looked at before the first is judged.
        for frame in recording.live { _ = transit.lateness(timestamp: frame.timestamp, arrival: frame.lastPacket) }
        return recording.live.indices.map { index in
            let frame = recording.frames[index]
            return MeasuredFrame(
                index: index, frame: frame, capture: timeline.captures[index],
                lateness: transit.lateness(timestamp: frame.timestamp, arrival: frame.lastPacket))
        }
    }

    private static func spacing(_ recording: Recording) -> Distribution {
        var jitter = InterarrivalJitter(rate: recording.videoRate)
        return Distribution(
            recording.live.compactMap { jitter.received(timestamp: $0.timestamp, arrival: $0.lastPacket) }.map {
                Int64(clamping: $0.magnitude)
            })
    }
}

/// A live frame and what was computed for it.
struct MeasuredFrame: Sendable {
    /// Counted from the session's first frame.
    let index: Int
    let frame: ReceivedFrame
    let capture: CaptureTimeline.Capture?
    /// By how much it came later than the least delayed frame, in nanoseconds.
    let lateness: Int64

    /// Nanoseconds from capture to the last packet.
    var arrival: Int64? { capture.map { frame.lastPacket - $0.instant } }
    /// Nanoseconds from capture until the decoder handed the picture out.
    var decoded: Int64? { capture.flatMap { capture in frame.decoded.map { $0 - capture.instant } } }
    /// Nanoseconds from the last packet until the decoder handed the picture out.
    var decoding: Int64? { frame.decoded.map { $0 - frame.lastPacket } }
    /// Nanoseconds from capture until the server had coded it, as its SEI says, where that is believed.
    var encoded: Int64? {
        guard capture?.basis == .stamp, let ends = frame.stamp?.encodingEnds else { return nil }
        return Int64(ends) * 1_000
    }
}

// MARK: - Distributions

extension MeasuredStream {
    var arrival: Distribution { Distribution(frames.lazy.compactMap(\.arrival)) }
    var decoded: Distribution { Distribution(frames.lazy.compactMap(\.decoded)) }
    var decoding: Distribution { Distribution(frames.lazy.compactMap(\.decoding)) }
    var encoded: Distribution { Distribution(frames.lazy.compactMap(\.encoded)) }
    var lateness: Distribution { Distribution(frames.lazy.map(\.lateness)) }

    /// Nanoseconds of RTP time and frames from key to key.
    var groups: (durations: Distribution, frameCounts: [Int]) {
        let keys = frames.indices.filter { frames[$0].frame.isKey }
        let pairs = zip(keys, keys.dropFirst())
        let durations = pairs.map { first, next in
            let ticks = frames[next].frame.timestamp &- frames[first].frame.timestamp
            return recording.videoRate.nanoseconds(inTicks: Int64(Int32(bitPattern: ticks)))
        }
        return (Distribution(durations), pairs.map { $1 - $0 })
    }

    /// Nanoseconds by which sound comes later than the picture of the same instant, by the medians; `nil` without sender
    /// reports of both. The clocks' relation is not needed: both tracks have the server's.
    var soundOffset: Int64? {
        guard let rate = recording.audioRate else { return nil }
        let picture = CaptureDelays(recording.videoRate, recording.videoReports)
        let sound = CaptureDelays(rate, recording.audioReports)
        let pictures = Distribution(recording.live.compactMap { picture.delay($0.timestamp, $0.lastPacket) })
        let sounds = Distribution(recording.sound.compactMap { sound.delay($0.timestamp, $0.arrival) })
        guard let pictureDelay = pictures.median, let soundDelay = sounds.median else { return nil }
        return soundDelay &- pictureDelay
    }

    /// Seconds from the first live frame to the last.
    var seconds: Double {
        guard let first = frames.first, let last = frames.last else { return 0 }
        return Double(last.frame.lastPacket - first.frame.lastPacket) / 1e9
    }
}

/// From capture by the sender's clock to arrival by ours: of use for differences only.
private struct CaptureDelays {
    private var clock: CaptureClock

    /// By the last report: it has followed every step of the sender's clock.
    init(_ rate: ClockRate, _ reports: [ReceivedReport]) {
        clock = CaptureClock(rate: rate)
        if let report = reports.last { clock.received(time: report.time, timestamp: report.timestamp) }
    }

    func delay(_ timestamp: UInt32, _ arrival: MonotonicTime) -> Int64? {
        clock.unixNanoseconds(of: timestamp).map { arrival.nanoseconds &- $0 }
    }
}
