import Media

/// Turns the output of a pipe's parser into access units, and announces the track.
struct PipePublisher {
    private(set) var parser = PipeParser()
    private(set) var hasAnnounced = false

    private var timeline = PipeTimeline()
    private var announced: H264.ParameterSets?
    private let epoch: MonotonicTime
    private let clock: PaceClock
    private let announce: ([Track]) -> Void
    private let publish: (AccessUnit) -> Void
    /// The duration of the media that arrived since the last pause.
    private var burst: Int64 = 0
    private var lastRelease: MonotonicTime?

    /// A longer burst is a file that is piped in.
    private static let burstLimit: Int64 = 1_000_000_000

    init(
        epoch: MonotonicTime, clock: PaceClock, announce: @escaping ([Track]) -> Void,
        publish: @escaping (AccessUnit) -> Void
    ) {
        self.epoch = epoch
        self.clock = clock
        self.announce = announce
        self.publish = publish
    }

    mutating func received(_ bytes: [UInt8], afterGap gap: Int64, unless stop: StopSignal) {
        if gap >= WriterTiming.minimumPause { burst = 0 }
        let outputs = parser.received(bytes, at: clock.now(), afterGap: gap)
        for output in outputs { release(output, unless: stop) }
    }

    /// How long the pipe must stay empty from now on until `quietPassed` is called; `nil` if a pause would end nothing.
    mutating func quietNanoseconds() -> Int64? { parser.quietNanoseconds(at: clock.now()) }

    mutating func quietPassed() {
        for output in parser.quietPassed() { send(output, at: output.arrival) }
    }

    mutating func ended(unless stop: StopSignal) {
        for output in parser.ended() { release(output, unless: stop) }
    }

    /// Publishes at once, or in a burst one frame interval after the previous frame.
    private mutating func release(_ output: PipeParser.Output, unless stop: StopSignal) {
        guard output.part.isStart else { return send(output, at: output.arrival) }
        if burst > Self.burstLimit, let lastRelease {
            let due = max(lastRelease + timeline.interval, output.arrival)
            guard clock.wait(due, stop) else { return }
            self.lastRelease = due
            return send(output, at: due)
        }
        lastRelease = output.arrival
        send(output, at: output.arrival)
        burst += timeline.interval
    }

    private mutating func send(_ output: PipeParser.Output, at instant: MonotonicTime) {
        let sets = parser.parameterSets
        let times =
            output.part.isStart
            ? timeline.times(ofFrameAt: instant - epoch, slice: output.slice, in: sets) : timeline.partTimes
        announceIfNeeded(sets.parameterSets, isKeyframe: output.isIDR && output.part.isStart)
        guard hasAnnounced else { return }
        publish(
            AccessUnit(
                track: TrackID(0), presentationTime: times.presentation, decodeTime: times.decode,
                isKeyframe: output.isIDR && output.part.isStart, part: output.part,
                nalUnits: output.isIDR && output.part.isStart ? sets.completed(output.units) : output.units))
    }

    /// Announces the track. A change waits for the next keyframe; until then frames carry their parameter sets in band.
    private mutating func announceIfNeeded(_ sets: H264.ParameterSets?, isKeyframe: Bool) {
        guard let sets, sets != announced, isKeyframe || !hasAnnounced else { return }
        announced = sets
        hasAnnounced = true
        announce([Track(id: TrackID(0), format: .h264(sets))])
    }
}
