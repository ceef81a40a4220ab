import Media
import RTP
import RTSPClient
import Reactor
import SDP
import Synchronization

/// A viewer that records when everything arrives, and decodes the frames on another thread.
public final class StreamMeasurement: SessionOwner {
    let plan: MeasurePlan
    let decoding: DecodingThread
    private let result: ResultBox
    private let progress: (@Sendable (MeasureProgress) -> Void)?
    private var session: SessionNumber?
    private var phase = Phase.starting
    private var nextProgress = MonotonicTime(nanoseconds: .min)
    var recording: Recording
    var intake = FrameAssembler(.unknown)
    /// The parameter sets of the description, for the first unit.
    var parameterSets: [[UInt8]] = []
    var videoTrack: Int?
    var audioTrack: Int?
    var inactivity: InactivityTimeout

    private enum Phase {
        case starting
        case running
        /// The server was told; packets no longer count.
        case leaving(until: MonotonicTime)
    }

    private static let tickMilliseconds: Int64 = 10
    private static let leavingMilliseconds: Int64 = 1_000
    /// How long queued units may be decoded at the end.
    private static let decodingMilliseconds: Int64 = 2_000

    /// Runs `plan` and returns the result; blocks the calling thread. `progress` is called twice a second, on another thread.
    public static func run(
        _ plan: MeasurePlan, progress: (@Sendable (MeasureProgress) -> Void)? = nil
    ) throws(MeasureFailure) -> MeasuredStream {
        let box = ResultBox()
        let decoding: DecodingThread
        do throws(SystemError) {
            decoding = try DecodingThread()
            try decoding.start()
        } catch {
            throw .ended(.connection(.failed(error)))
        }
        defer { _ = decoding.finish(withinMilliseconds: 0) }
        do throws(ClientSessionEnd) {
            try ClientLoop.run(StreamMeasurement(plan, decoding, box, progress: progress))
        } catch {
            throw .ended(error)
        }
        var recording = try box.value.withLock { $0 }.get()
        recording.add(decoding.finish(withinMilliseconds: decodingMilliseconds))
        return MeasuredStream(plan, recording)
    }

    private init(
        _ plan: MeasurePlan, _ decoding: DecodingThread, _ result: ResultBox,
        progress: (@Sendable (MeasureProgress) -> Void)?
    ) {
        self.plan = plan
        self.decoding = decoding
        self.result = result
        self.progress = progress
        let now = MonotonicTime.now()
        recording = Recording(opened: now)
        inactivity = InactivityTimeout(nanoseconds: plan.timeoutMilliseconds &* 1_000_000, from: now)
    }

    public func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
        switch phase {
        case .starting:
            recording = Recording(opened: now)
            recording.wallClockOffset = ClockReading.now().offset
            inactivity.restart(at: now)
            session = plan.stream.open(in: sessions, at: now)
            phase = .running
        case .running:
            intake.passGap(at: now)
            takeFrames()
            reportProgress(at: now)
            endIfNeeded(sessions, at: now)
        case .leaving(let deadline) where now >= deadline || sessions.count == 0:
            if let session { sessions.vanish(session) }
            return nil
        case .leaving: break
        }
        return min(now.advanced(byMilliseconds: Self.tickMilliseconds), intake.nextDeadline ?? .distantFuture)
    }

    /// Ends the measurement if it is complete, or if nothing has arrived for too long.
    private func endIfNeeded(_ sessions: Sessions, at now: MonotonicTime) {
        if isComplete {
            finish(sessions, at: now)
        } else if let failure = decoding.failure {
            fail(.decoder(failure.reason), sessions, at: now)
        } else if inactivity.hasExpired(at: now) {
            fail(.silence(seconds: Double(plan.timeoutMilliseconds) / 1e3, awaiting: missing), sessions, at: now)
        }
    }

    private var isComplete: Bool {
        guard let first = recording.live.first, let last = recording.frames.last else { return false }
        if let frames = plan.frames, recording.live.count >= frames { return true }
        return Double(last.lastPacket - first.lastPacket) >= plan.seconds * 1e9
    }

    private func reportProgress(at now: MonotonicTime) {
        guard let progress, now >= nextProgress else { return }
        nextProgress = now.advanced(byMilliseconds: 500)
        progress(
            MeasureProgress(
                elapsedSeconds: Double(now - recording.opened) / 1e9, frames: recording.live.count,
                lostPackets: recording.loss.reduce(0) { $0 + $1.lost }))
    }

    // MARK: - The end

    /// Ends the measurement early: with a report if live frames arrived, otherwise with `failure`.
    func fail(_ failure: MeasureFailure, _ sessions: Sessions, at now: MonotonicTime) {
        guard case .running = phase else { return }
        guard recording.live.isEmpty else {
            recording.prematureEnd = failure.description
            return finish(sessions, at: now)
        }
        tearDown(.failure(failure), sessions, at: now)
    }

    private func finish(_ sessions: Sessions, at now: MonotonicTime) {
        recording.roundTrip = session.flatMap { sessions.shortestRoundTrip($0) }
        recording.wallClockOffsetAtEnd = ClockReading.now().offset
        recording.malformedPackets = intake.malformedCount
        tearDown(.success(recording), sessions, at: now)
    }

    private func tearDown(_ result: Result<Recording, MeasureFailure>, _ sessions: Sessions, at now: MonotonicTime) {
        self.result.value.withLock { $0 = result }
        phase = .leaving(until: now.advanced(byMilliseconds: Self.leavingMilliseconds))
        if let session { sessions.tearDown(session, at: now) }
    }

    var isRunning: Bool {
        if case .running = phase { true } else { false }
    }
}

/// A timer that expires if nothing happens for a while.
struct InactivityTimeout {
    let nanoseconds: Int64
    private var since: MonotonicTime

    init(nanoseconds: Int64, from now: MonotonicTime) {
        self.nanoseconds = nanoseconds
        since = now
    }

    /// Restarts the timer.
    mutating func restart(at now: MonotonicTime) {
        since = max(since, now)
    }

    func hasExpired(at now: MonotonicTime) -> Bool { now - since >= nanoseconds }
}

extension ClockReading {
    /// The wall clock (since 1970) less the monotonic clock, in nanoseconds.
    var offset: Int64 { unixNanoseconds &- monotonic.nanoseconds }
}

/// Passes the result from the loop's thread to the caller.
private final class ResultBox: Sendable {
    let value = Mutex<Result<Recording, MeasureFailure>>(.failure(.ended(.nothingToPlay)))
}
