import Codecs
import Glibc
import Media
import Reactor
import Synchronization

/// A thread that decodes frames as a low-delay player does, so that the receiving thread never waits.
///
/// Units wait in a bounded queue. If the queue is full, units up to the next keyframe are skipped and counted.
final class DecodingThread: Sendable {
    /// The result of decoding.
    struct Outcome: Sendable {
        /// The decoded frames by unit number, with the time at which the decoder returned each.
        var frames: [(number: Int, instant: MonotonicTime)] = []
        /// The number of units that were skipped because the decoder was too slow.
        var skipped = 0
        /// Why decoding ended early.
        var failure: CodecFailure?
    }

    private struct State {
        var waiting: [AccessUnit] = []
        var isSkipping = false
        var isEnding = false
        var isAbandoned = false
        var hasEnded = false
        var outcome = Outcome()
    }

    /// Maximum units in the queue. A fast start arrives at once and may have 150 frames.
    static let maximumWaiting = 256

    private let state = Mutex(State())
    private let codec = Mutex(Codec.h264)
    private let doorbell: Doorbell
    private let thread = Mutex<pthread_t?>(nil)

    init() throws(SystemError) {
        doorbell = try Doorbell()
    }

    func start() throws(SystemError) {
        let thread = try startThread { self.run() }
        self.thread.withLock { $0 = thread }
    }

    /// When the first frame was decoded.
    var firstFrame: MonotonicTime? { state.withLock { $0.outcome.frames.first?.instant } }

    /// Why decoding ended early.
    var failure: CodecFailure? { state.withLock { $0.outcome.failure } }

    /// Sets the codec of all units, before the first.
    func use(_ codec: Codec) { self.codec.withLock { $0 = codec } }

    /// Queues a unit, with its number as its time; never blocks.
    func submit(_ unit: AccessUnit, isKey: Bool) {
        state.withLock { state in
            if state.isSkipping, isKey || state.waiting.isEmpty { state.isSkipping = false }
            if state.waiting.count >= Self.maximumWaiting { state.isSkipping = true }
            if state.isSkipping {
                state.outcome.skipped += 1
            } else {
                state.waiting.append(unit)
            }
        }
        doorbell.ring()
    }

    /// Lets the thread decode queued units for at most `timeout` milliseconds, ends it, and returns the result. Blocks.
    func finish(withinMilliseconds timeout: Int64) -> Outcome {
        state.withLock { $0.isEnding = true }
        doorbell.ring()
        let deadline = MonotonicTime.now().advanced(byMilliseconds: timeout)
        while !state.withLock({ $0.hasEnded }), MonotonicTime.now() < deadline {
            MonotonicTime.now().advanced(byMilliseconds: 1).wait()
        }
        state.withLock { $0.isAbandoned = true }
        // The thread finishes at most the unit that it is decoding.
        if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
        return state.withLock { state in
            state.outcome.skipped += state.waiting.count
            return state.outcome
        }
    }

    // MARK: - On the thread

    private func run() {
        defer { state.withLock { $0.hasEnded = true } }
        do throws(CodecFailure) {
            // The session's description, which names the codec, comes before the first unit.
            var first = next()
            let decoder = try VideoDecoder(codec.withLock(\.self), delay: .lowest)
            while let unit = first ?? next() {
                first = nil
                try decode(unit, decoder)
            }
        } catch {
            state.withLock { $0.outcome.failure = error }
        }
    }

    /// Waits for the next unit; `nil` at the end.
    private func next() -> AccessUnit? {
        while true {
            let (unit, isOver) = state.withLock { state -> (AccessUnit?, Bool) in
                if state.isAbandoned { return (nil, true) }
                guard !state.waiting.isEmpty else { return (nil, state.isEnding) }
                return (state.waiting.removeFirst(), false)
            }
            if unit != nil || isOver { return unit }
            doorbell.wait(milliseconds: 1_000)
        }
    }

    private func decode(_ unit: AccessUnit, _ decoder: VideoDecoder) throws(CodecFailure) {
        let frames = try decoder.decode(unit)
        let now = MonotonicTime.now()
        let numbers = frames.compactMap { $0.presentationTime }.map { Int(truncatingIfNeeded: $0) }
        state.withLock { $0.outcome.frames += numbers.map { ($0, now) } }
    }
}
