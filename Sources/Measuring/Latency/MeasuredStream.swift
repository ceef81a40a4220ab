import Media

/// The results computed from a recording: the relation of the clocks, the capture times and all distributions.
public struct MeasuredStream: Sendable {
    let plan: MeasurePlan
    let recording: Recording
    public let clocks: ClockRelation
    let timeline: CaptureTimeline
    /// The live frames with their computed values.
    let frames: [MeasuredFrame]
    /// From frame to frame, the difference between the spacing of arrivals and that of RTP timestamps.
    let spacing: Distribution

    init(_ plan: MeasurePlan, _ recording: Recording) {
        self.plan = plan
        self.recording = recording
        clocks = ClockRelation(Self.evidence(plan, recording))
        let firstLive = recording.firstLive ?? recording.frames.count
        timeline = CaptureTimeline(
            recording.frames,
            CaptureTimeline.Inputs(
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
        evidence.captureTimestamps = recording.frames.compactMap { frame in
            frame.captureTimestamp.map { ($0, frame.lastPacket) }
        }
        evidence.reports = recording.videoReports + recording.audioReports
        evidence.roundTrip = recording.roundTrip
        return evidence
    }

    private static func measured(_ recording: Recording, _ timeline: CaptureTimeline) -> [MeasuredFrame] {
        var transit = TransitTime(rate: recording.videoRate)
        // The least delayed frame may be any frame, so all frames are processed before the first lateness is computed.
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

/// A live frame and its computed values.
struct MeasuredFrame: Sendable {
    /// The number of the frame, counted from the session's first frame.
    let index: Int
    let frame: ReceivedFrame
    let capture: CaptureTimeline.Capture?
    /// How much later the frame arrived than the least delayed frame, in nanoseconds.
    let lateness: Int64

    /// Nanoseconds from capture to the last packet.
    var arrival: Int64? { capture.map { frame.lastPacket - $0.instant } }
    /// Nanoseconds from capture to the decoded frame.
    var decoded: Int64? { capture.flatMap { capture in frame.decoded.map { $0 - capture.instant } } }
    /// Nanoseconds from the last packet to the decoded frame.
    var decoding: Int64? { frame.decoded.map { $0 - frame.lastPacket } }
    /// Nanoseconds from capture until the server had encoded the frame, by the SEI; `nil` if the SEI is missing or rejected.
    var encoded: Int64? {
        guard capture?.basis == .sei, let ends = frame.captureTimestamp?.encodingEnds else { return nil }
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

    /// The GOPs: nanoseconds of RTP time, and frames, from keyframe to keyframe.
    var groups: (durations: Distribution, frameCounts: [Int]) {
        let keys = frames.indices.filter { frames[$0].frame.isKey }
        let pairs = zip(keys, keys.dropFirst())
        let durations = pairs.map { first, next in
            let ticks = frames[next].frame.timestamp &- frames[first].frame.timestamp
            return recording.videoRate.nanoseconds(inTicks: Int64(Int32(bitPattern: ticks)))
        }
        return (Distribution(durations), pairs.map { $1 - $0 })
    }

    /// Nanoseconds by which audio arrives later than the video frame of the same time, by the medians; `nil` without sender
    /// reports of both tracks. The relation of the clocks does not matter, because both tracks use the server's clock.
    var audioOffset: Int64? {
        guard let rate = recording.audioRate else { return nil }
        let video = CaptureDelays(recording.videoRate, recording.videoReports)
        let audio = CaptureDelays(rate, recording.audioReports)
        let videoDelays = Distribution(recording.live.compactMap { video.delay($0.timestamp, $0.lastPacket) })
        let audioDelays = Distribution(recording.audio.compactMap { audio.delay($0.timestamp, $0.arrival) })
        guard let videoDelay = videoDelays.median, let audioDelay = audioDelays.median else { return nil }
        return audioDelay &- videoDelay
    }

    /// Seconds from the first live frame to the last.
    var seconds: Double {
        guard let first = frames.first, let last = frames.last else { return 0 }
        return Double(last.frame.lastPacket - first.frame.lastPacket) / 1e9
    }
}

/// Delays from capture by the sender's clock to arrival by this host's clock. Only their differences are meaningful.
private struct CaptureDelays {
    private var clock: CaptureClock

    /// Uses the last report, which reflects every step of the sender's clock.
    init(_ rate: ClockRate, _ reports: [ReceivedReport]) {
        clock = CaptureClock(rate: rate)
        if let report = reports.last { clock.received(time: report.time, timestamp: report.timestamp) }
    }

    func delay(_ timestamp: UInt32, _ arrival: MonotonicTime) -> Int64? {
        clock.unixNanoseconds(of: timestamp).map { arrival.nanoseconds &- $0 }
    }
}
