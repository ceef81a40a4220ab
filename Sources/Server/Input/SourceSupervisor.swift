import Capture
import Dispatch
import Logging
import Media
import Reactor
import Streams
import Synchronization

/// Runs the source of a stream on its own thread: restarts it after a failure, logs the reason, and stops it.
///
/// A failure does not affect other streams, and the viewers of this stream stay connected.
/// All methods may be called from any thread.
public final class SourceSupervisor: Sendable {
    /// What happens when the input of a source has ended without a failure.
    public enum EndOfInput: Sendable {
        /// A fifo that may get a new writer. `SupervisedSource.endsForGood` overrides it.
        case startsAgain
        /// Standard input, which cannot be opened twice.
        case isFinal
    }

    private let source: any SupervisedSource
    private let stream: Stream
    private let endOfInput: EndOfInput
    private let log: Logger
    private let now: @Sendable () -> MonotonicTime
    private let runs: Mutex<SourceRuns>
    private let isStopping = Atomic(false)
    /// Whether an operator has restarted the source since its present run began.
    private let isRestarting = Atomic(false)
    /// Signalled by `stop`, and if the source runs on demand, when the stream is needed again or not needed any more.
    private let bell: DispatchSemaphore
    /// Stops the source when it is not needed; `nil` if it runs all the time.
    private let idleStop: IdleStop?
    /// Shows something while the source is absent; `nil` if nothing is shown.
    private let absence: AbsencePublisher?
    /// Entered while the thread runs.
    private let finished = DispatchGroup()

    /// - Parameters:
    ///   - closeMilliseconds: how long after its last use the source stops; `nil` if it runs all the time.
    ///   - now: reads the monotonic clock.
    public init(
        _ source: any SupervisedSource, into stream: Stream,
        atEndOfInput endOfInput: EndOfInput = .startsAgain, closingAfter closeMilliseconds: Int64? = nil,
        absence: AbsencePublisher? = nil, log: Logger,
        now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now
    ) {
        self.source = source
        self.stream = stream
        self.endOfInput = endOfInput
        self.absence = absence
        self.now = now
        runs = Mutex(SourceRuns(at: now()))
        let bell = DispatchSemaphore(value: 0)
        self.bell = bell
        idleStop = closeMilliseconds.map {
            IdleStop(of: stream, milliseconds: $0, bell: bell) { [weak source] in source?.stop() }
        }
        var log = log
        log[metadataKey: "path"] = "\(stream.path)"
        log[metadataKey: "source"] = "\(source.label)"
        self.log = log
    }

    /// The state of the source now.
    var condition: SourceCondition {
        runs.withLock { $0.condition(publishedBytes: stream.published.byteCount) }
    }

    /// Starts the thread. Call this once.
    ///
    /// - Parameter former: sources that are stopping. The thread waits for them, because a stream can have one source at a time, and
    ///   a device one reader.
    public func start(after former: [SourceSupervisor] = []) {
        finished.enter()
        do throws(SystemError) {
            // Not a dispatch queue, because sources block, and all queues of a process share 255 threads.
            try startDetachedThread(name: "apus-source") {
                for source in former { source.join(until: .distantFuture) }
                self.stream.attach(self.source)
                let showsAbsence = self.startAbsence()
                self.supervise()
                if showsAbsence { self.absence?.stop() }
                self.finished.leave()
            }
        } catch {
            finished.leave()
            log.error(
                "cannot start a thread for the source: \(error); allow more threads (TasksMax, ulimit -u), or serve fewer paths"
            )
        }
    }

    /// - Returns: whether something is shown while the source is absent.
    private func startAbsence() -> Bool {
        do throws(SystemError) {
            try absence?.start()
            return absence != nil
        } catch {
            log.error("cannot start a thread for what is shown while the source is absent: \(error)")
            return false
        }
    }

    /// Stops the source. Returns at once.
    public func stop() {
        guard isStopping.exchange(true, ordering: .sequentiallyConsistent) == false else { return }
        bell.signal()
        source.stop()
    }

    /// Ends the present run of the source, and starts it again at once; if it is failing, without the rest of the pause. A source that
    /// sleeps goes on sleeping. Returns at once.
    ///
    /// - Returns: false if its input cannot be opened again.
    func restart() -> Bool {
        guard endOfInput != .isFinal else { return false }
        isRestarting.store(true, ordering: .sequentiallyConsistent)
        bell.signal()
        source.stop()
        return true
    }

    /// Waits until the source has ended after `stop`, but not longer than `deadline`.
    ///
    /// - Returns: whether it has ended.
    @discardableResult
    public func join(until deadline: DispatchTime) -> Bool {
        repeat {
            // A source that was just starting may have missed the first call.
            if isStopping.load(ordering: .sequentiallyConsistent) { source.stop() }
            if finished.wait(timeout: min(deadline, .now() + .milliseconds(50))) == .success { return true }
        } while DispatchTime.now() < deadline
        return false
    }

    private func supervise() {
        var (schedule, failure) = (RestartSchedule(), String?.none)
        while isNeeded() {
            let start = now()
            runs.withLock { $0.started(at: start, publishedBytes: stream.published.byteCount) }
            log.debug("source starts")
            isRestarting.store(false, ordering: .sequentiallyConsistent)
            let end = runOnce()
            notify(end, &failure)
            if isStopping.load(ordering: .sequentiallyConsistent) { break }
            if idleStop?.hasStoppedSource == true { continue }
            if isRestarting.load(ordering: .sequentiallyConsistent) {
                log.notice("source starts again: an operator has restarted it")
                let (now, publishedBytes) = (now(), stream.published.byteCount)
                runs.withLock { $0.ended(at: now, nextTry: now, publishedBytes: publishedBytes) }
                continue
            }
            if case .ofInput = end, endOfInput == .isFinal || source.endsForGood {
                log.notice("the input has ended; viewers are disconnected, and new clients get 404")
                record(end, nextTry: nil)
                stream.end()
                break
            }
            if case .ofInput = end, source.waitsForInput {
                record(end, nextTry: start)
                continue
            }
            let decision = schedule.ended(
                end.reason, leastPause: end.leastPauseMilliseconds, jitter: .random(in: RestartSchedule.jitter),
                startedAt: start, at: now())
            record(end, nextTry: now().advanced(byMilliseconds: decision.pauseMilliseconds))
            report(end, decision)
            pause(milliseconds: decision.pauseMilliseconds)
        }
        stream.attach(nil)
        log.debug("source stopped")
    }

    /// Waits until the source is to run.
    ///
    /// - Returns: false if the supervisor stops.
    private func isNeeded() -> Bool {
        if idleStop != nil, !stream.demand.isNeeded {
            stream.sleep()
            runs.withLock { $0.slept(at: now()) }
            log.debug("source sleeps until a client asks for the stream")
            while !stream.demand.isNeeded, !isStopping.load(ordering: .sequentiallyConsistent) { bell.wait() }
            stream.demand.failure = nil
        }
        idleStop?.began()
        return !isStopping.load(ordering: .sequentiallyConsistent)
    }

    /// Waits before the next run, unless the supervisor stops, or the stream is not needed any more.
    private func pause(milliseconds: Int64) {
        let end = DispatchTime.now() + .milliseconds(Int(milliseconds))
        repeat {
            if isStopping.load(ordering: .sequentiallyConsistent) || idleStop?.hasStoppedSource == true
                || isRestarting.load(ordering: .sequentiallyConsistent)
            {
                return
            }
        } while bell.wait(timeout: end) == .success
    }

    private enum End {
        case ofInput
        case failure(SourceFailure)

        var reason: String {
            switch self {
            case .ofInput: "the input ended"
            case .failure(let failure): failure.reason
            }
        }

        var leastPauseMilliseconds: Int64 {
            switch self {
            case .ofInput: 0
            case .failure(let failure): failure.leastPauseMilliseconds
            }
        }
    }

    private func runOnce() -> End {
        do throws(SourceFailure) {
            try source.run(into: stream)
            return .ofInput
        } catch {
            return .failure(error)
        }
    }

    /// Publishes the end of a run as an event.
    ///
    /// - Parameter reported: the reason that subscribers know, and that is not repeated.
    private func notify(_ end: End, _ reported: inout String?) {
        let isStopping = isStopping.load(ordering: .sequentiallyConsistent)
        let reason =
            if isStopping {
                "the source was stopped"
            } else if idleStop?.hasStoppedSource == true {
                "the last viewer has left"
            } else if isRestarting.load(ordering: .sequentiallyConsistent) {
                "an operator restarted the source"
            } else {
                end.reason
            }
        let wasUp = stream.sourceEnded(because: reason)
        if case .failure(let failure) = end, !wasUp, !isStopping, failure.reason != reported {
            stream.events?.publish(stream.path) { .sourceFailed(reason: failure.reason) }
        }
        reported = reason
    }

    private func record(_ end: End, nextTry: MonotonicTime?) {
        let (now, publishedBytes) = (now(), stream.published.byteCount)
        runs.withLock { runs in
            switch (end, nextTry) {
            case (.failure(let failure), let nextTry?):
                stream.demand.failure = StreamDemand.Failure(
                    reason: failure.reason, retrySeconds: max(1, Int((nextTry - now) / 1_000_000_000)))
                runs.failed(failure.description, at: now, nextTry: nextTry, publishedBytes: publishedBytes)
            case (_, let nextTry): runs.ended(at: now, nextTry: nextTry, publishedBytes: publishedBytes)
            }
        }
    }

    private func report(_ end: End, _ decision: RestartSchedule.Decision) {
        guard case .log(let unlogged) = decision.report else { return }
        var metadata: Logger.Metadata = ["retryMilliseconds": "\(decision.pauseMilliseconds)"]
        if unlogged > 0 { metadata["sinceLastTold"] = "\(unlogged)" }
        switch end {
        case .ofInput:
            log.info("the input ended; starting it again", metadata: metadata)
        case .failure(let failure):
            let remedy = failure.remedy.isEmpty ? "" : "; \(failure.remedy)"
            log.error("\(failure.reason)\(remedy)", metadata: metadata)
        }
    }
}
