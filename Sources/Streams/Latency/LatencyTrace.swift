import DequeModule
import Media
import Synchronization

/// Where the frames of a stream spend their time: a distribution per stage, and the traces of the last frames. Thread-safe.
///
/// It costs one lock and a few counters per frame and loop; nothing per viewer or packet.
public final class LatencyTrace: Sendable {
    /// A distribution for each stage that a frame has passed.
    public typealias Summary = [Stage: DurationSummary]

    private struct State {
        var recent: Deque<FrameTrace> = []
        var stages = Stages()
        var stagesSinceSummary = Stages()

        /// The index of the frame captured at `captured`, nearly always the newest.
        func index(of captured: MonotonicTime) -> Int? { recent.lastIndex { $0.captured == captured } }

        mutating func record(_ change: (inout Stages) -> Void) {
            change(&stages)
            change(&stagesSinceSummary)
        }
    }

    /// How many frames are kept: half a minute at 30 frames per second.
    public static let recentCount = 1_024

    private let state = Mutex(State())

    init() {}

    /// Adds a frame that is about to be packaged, before any loop can send it.
    func began(_ frameTrace: FrameTrace) {
        state.withLock { state in
            if state.recent.count == Self.recentCount { state.recent.removeFirst() }
            state.recent.append(frameTrace)
            state.record { $0.began(frameTrace) }
        }
    }

    /// Notes that all feeds have packaged the frame.
    func packaged(_ frameTrace: FrameTrace, at instant: MonotonicTime) {
        state.withLock { state in
            if let index = state.index(of: frameTrace.captured) { state.recent[index].packaged = instant }
            state.record { $0.packaged(frameTrace, at: instant) }
        }
    }

    /// Notes that one loop has sent the frame captured at `captured` to all its viewers that keep up.
    public func sent(captured: MonotonicTime, first: MonotonicTime, last: MonotonicTime) {
        state.withLock { state in
            guard let index = state.index(of: captured) else { return }
            let former = state.recent[index]
            state.recent[index].firstSent = min(former.firstSent ?? first, first)
            state.recent[index].lastSent = max(former.lastSent ?? last, last)
            state.record { $0.sent(former, first: first, last: last) }
        }
    }

    /// The distributions since the stream was created.
    public var summary: Summary { state.withLock { $0.stages.summary } }

    /// The same distributions as counts between fixed bounds, by stage.
    public var counts: [Stage: DurationCounts] { state.withLock { $0.stages.counts } }

    /// The distributions since the last call of this method.
    public func takeSummary() -> Summary {
        state.withLock { state in
            defer { state.stagesSinceSummary.reset() }
            return state.stagesSinceSummary.summary
        }
    }

    /// The last frames, oldest first.
    public var recent: [FrameTrace] {
        // Converting an empty deque writes its count, 0, into the empty array that all threads share.
        state.withLock { $0.recent.isEmpty ? [] : Array($0.recent) }
    }
}

/// One distribution per stage, with two significant digits.
private struct Stages {
    private struct Distribution {
        var histogram = DurationHistogram(digits: .two)
        var counts = DurationCounts()
    }

    /// In the order of the stages; `nil` for a stage that no frame has passed.
    private var distributions = [Distribution?](repeating: nil, count: Stage.allCases.count)

    mutating func began(_ frameTrace: FrameTrace) {
        // The frames of a file are encoded before their capture time, so nothing lies between capture and encoder.
        if let encoderIn = frameTrace.encoderIn, encoderIn >= frameTrace.captured {
            record(.capture, from: frameTrace.captured, to: encoderIn)
        }
        if let encoderIn = frameTrace.encoderIn, let encoderOut = frameTrace.encoderOut {
            record(.encoding, from: encoderIn, to: encoderOut)
        }
    }

    mutating func packaged(_ frameTrace: FrameTrace, at instant: MonotonicTime) {
        // The frames of a file are encoded before their capture time.
        record(.packaging, from: max(frameTrace.encoderOut ?? frameTrace.captured, frameTrace.captured), to: instant)
    }

    mutating func sent(_ frameTrace: FrameTrace, first: MonotonicTime, last: MonotonicTime) {
        // A loop that is already awake may send before the frame counts as packaged.
        record(.waiting, from: frameTrace.packaged ?? first, to: first)
        record(.sending, from: first, to: last)
        record(.whole, from: frameTrace.captured + (0 - frameTrace.encodedAhead), to: last)
    }

    private mutating func record(_ stage: Stage, from start: MonotonicTime, to end: MonotonicTime) {
        if distributions[stage.index] == nil { distributions[stage.index] = Distribution() }
        distributions[stage.index]?.histogram.record(nanoseconds: end - start)
        distributions[stage.index]?.counts.record(nanoseconds: end - start)
    }

    mutating func reset() {
        for stage in Stage.allCases { distributions[stage.index]?.histogram.reset() }
    }

    var summary: LatencyTrace.Summary { byStage { $0.histogram.summary } }
    var counts: [Stage: DurationCounts] { byStage { $0.counts } }

    private func byStage<Value>(_ value: (Distribution) -> Value?) -> [Stage: Value] {
        var values: [Stage: Value] = [:]
        for stage in Stage.allCases { values[stage] = distributions[stage.index].flatMap(value) }
        return values
    }
}

extension Stage {
    /// Its place among all stages.
    fileprivate var index: Int {
        switch self {
        case .capture: 0
        case .encoding: 1
        case .packaging: 2
        case .waiting: 3
        case .sending: 4
        case .whole: 5
        }
    }
}
