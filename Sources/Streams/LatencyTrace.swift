import DequeModule
import Media
import Synchronization

/// What a stream's pictures spent where: a distribution per stage, and the last journeys one by one. From any thread.
///
/// One lock and a few counters per picture and loop; nothing per viewer or packet.
public final class LatencyTrace: Sendable {
    /// A distribution per stage, of those through which something has come.
    public typealias Summary = [Stage: DurationSummary]

    private struct State {
        var recent: Deque<FrameTrace> = []
        var stages = Stages()
        var stagesSinceLook = Stages()

        /// Nearly always the newest.
        func index(of captured: MonotonicTime) -> Int? { recent.lastIndex { $0.captured == captured } }

        mutating func record(_ change: (inout Stages) -> Void) {
            change(&stages)
            change(&stagesSinceLook)
        }
    }

    /// How many journeys are kept: half a minute of pictures.
    public static let recentCount = 1_024

    private let state = Mutex(State())

    init() {}

    /// A picture is about to be packaged: from then on loops may send it.
    func began(_ frameTrace: FrameTrace) {
        state.withLock { state in
            if state.recent.count == Self.recentCount { state.recent.removeFirst() }
            state.recent.append(frameTrace)
            state.record { $0.began(frameTrace) }
        }
    }

    /// All feeds have it as packets.
    func packaged(_ frameTrace: FrameTrace, at instant: MonotonicTime) {
        state.withLock { state in
            if let index = state.index(of: frameTrace.captured) { state.recent[index].packaged = instant }
            state.record { $0.packaged(frameTrace, at: instant) }
        }
    }

    /// One loop has sent what was captured at `captured` to all its viewers who keep up.
    public func sent(captured: MonotonicTime, first: MonotonicTime, last: MonotonicTime) {
        state.withLock { state in
            guard let index = state.index(of: captured) else { return }
            let former = state.recent[index]
            state.recent[index].firstSent = min(former.firstSent ?? first, first)
            state.recent[index].lastSent = max(former.lastSent ?? last, last)
            state.record { $0.sent(former, first: first, last: last) }
        }
    }

    /// Since the stream was made.
    public var summary: Summary { state.withLock { $0.stages.summary } }

    /// Since the last call of this.
    public func takeSummary() -> Summary {
        state.withLock { state in
            defer { state.stagesSinceLook.reset() }
            return state.stagesSinceLook.summary
        }
    }

    /// The last ones, oldest first.
    public var recent: [FrameTrace] {
        // An array of an empty deque has its count written, 0, into the one array of none that all threads share.
        state.withLock { $0.recent.isEmpty ? [] : Array($0.recent) }
    }
}

/// One distribution per stage, to two digits.
private struct Stages {
    private var histograms: [Stage: DurationHistogram] = [:]

    mutating func began(_ frameTrace: FrameTrace) {
        // A file's pictures are coded ahead of their instant: nothing lies between capture and encoder.
        if let encoderIn = frameTrace.encoderIn, encoderIn >= frameTrace.captured {
            record(.capture, from: frameTrace.captured, to: encoderIn)
        }
        if let encoderIn = frameTrace.encoderIn, let encoderOut = frameTrace.encoderOut {
            record(.encoding, from: encoderIn, to: encoderOut)
        }
    }

    mutating func packaged(_ frameTrace: FrameTrace, at instant: MonotonicTime) {
        // A file's pictures are coded before their instant.
        record(.packaging, from: max(frameTrace.encoderOut ?? frameTrace.captured, frameTrace.captured), to: instant)
    }

    mutating func sent(_ frameTrace: FrameTrace, first: MonotonicTime, last: MonotonicTime) {
        // A loop that was awake may be the faster one.
        record(.waiting, from: frameTrace.packaged ?? first, to: first)
        record(.sending, from: first, to: last)
        record(.whole, from: frameTrace.captured + (0 - frameTrace.codedAhead), to: last)
    }

    private mutating func record(_ stage: Stage, from start: MonotonicTime, to end: MonotonicTime) {
        histograms[stage, default: DurationHistogram(digits: .two)].record(nanoseconds: end - start)
    }

    mutating func reset() {
        for stage in Stage.allCases { histograms[stage]?.reset() }
    }

    var summary: LatencyTrace.Summary { histograms.compactMapValues(\.summary) }
}
