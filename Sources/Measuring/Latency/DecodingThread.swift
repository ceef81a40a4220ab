import Codecs
import Glibc
import Media
import Reactor
import Synchronization

/// A thread that decodes pictures as a player with low delay does, beside the one that receives: receiving never waits for it.
///
/// What it cannot keep up with waits, up to a bound. Beyond that, units are passed over up to the next IDR picture, and counted.
final class DecodingThread: Sendable {
    /// What became of the units.
    struct Outcome: Sendable {
        /// Pictures by their unit's number, with the instant at which the decoder handed each out.
        var pictures: [(number: Int, instant: MonotonicTime)] = []
        /// Units that the decoder was too slow for.
        var passedOver = 0
        /// Why it ended early.
        var failure: CodecFailure?
    }

    private struct State {
        var waiting: [AccessUnit] = []
        var isPassingOver = false
        var isEnding = false
        var isAbandoned = false
        var hasEnded = false
        var outcome = Outcome()
    }

    /// A prelude comes at once and may be of 150 pictures.
    static let mostWaiting = 256

    private let state = Mutex(State())
    private let doorbell: Doorbell
    private let thread = Mutex<pthread_t?>(nil)

    init() throws(SystemError) {
        doorbell = try Doorbell()
    }

    func start() throws(SystemError) {
        let thread = try startThread { self.run() }
        self.thread.withLock { $0 = thread }
    }

    /// When the first picture was decoded.
    var firstPicture: MonotonicTime? { state.withLock { $0.outcome.pictures.first?.instant } }

    /// Why it ended early.
    var failure: CodecFailure? { state.withLock { $0.outcome.failure } }

    /// Hands a unit over, whose time is its number; never waits.
    func submit(_ unit: AccessUnit, isKey: Bool) {
        state.withLock { state in
            if state.isPassingOver, isKey || state.waiting.isEmpty { state.isPassingOver = false }
            if state.waiting.count >= Self.mostWaiting { state.isPassingOver = true }
            if state.isPassingOver {
                state.outcome.passedOver += 1
            } else {
                state.waiting.append(unit)
            }
        }
        doorbell.ring()
    }

    /// Ends the thread, which may decode what waits for so long, and says what became of everything. Blocks.
    func finish(withinMilliseconds patience: Int64) -> Outcome {
        state.withLock { $0.isEnding = true }
        doorbell.ring()
        let deadline = MonotonicTime.now().advanced(byMilliseconds: patience)
        while !state.withLock({ $0.hasEnded }), MonotonicTime.now() < deadline {
            MonotonicTime.now().advanced(byMilliseconds: 1).wait()
        }
        state.withLock { $0.isAbandoned = true }
        // It is in the middle of one unit at most.
        if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
        return state.withLock { state in
            state.outcome.passedOver += state.waiting.count
            return state.outcome
        }
    }

    // MARK: - Its thread

    private func run() {
        defer { state.withLock { $0.hasEnded = true } }
        do throws(CodecFailure) {
            let decoder = try VideoDecoder(.lowest)
            while let unit = next() { try decode(unit, decoder) }
        } catch {
            state.withLock { $0.outcome.failure = error }
        }
    }

    /// Waits for a unit; `nil` when none follows.
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
        let pictures = try decoder.decode(unit)
        let now = MonotonicTime.now()
        let numbers = pictures.compactMap { $0.presentationTime }.map { Int(truncatingIfNeeded: $0) }
        state.withLock { $0.outcome.pictures += numbers.map { ($0, now) } }
    }
}
