import Dispatch
import Media
import RTSPServer
import Reactor
import SRTServer
import Synchronization

extension Assembly {
    /// The present status of the server. Blocks for at most a second; `nil` if an event loop has not answered by then.
    func currentStatus(hasPictureTimes: Bool) -> ServerStatus? {
        let reading = ClockReading.now()
        guard let answers = askLoops(at: reading.monotonic) else { return nil }
        return status(answers, hasPictureTimes: hasPictureTimes, at: reading)
    }

    /// The present status of the server, once all event loops have answered.
    func status() async -> ServerStatus {
        let reading = ClockReading.now()
        return status(await answers(at: reading.monotonic), hasPictureTimes: false, at: reading)
    }

    private func status(_ answers: Answers, hasPictureTimes: Bool, at reading: ClockReading) -> ServerStatus {
        let now = reading.monotonic
        let paths = state.withLock { Array($0.paths.values) }
        return ServerStatus(
            version: apusVersion, uptime: Double(now - clock.epoch) / 1_000_000_000,
            streams: paths.map {
                .init(
                    $0, forwards.all(of: $0.stream.path), srt: answers.receptions[$0.stream.path],
                    hasPictureTimes: hasPictureTimes, at: reading)
            }.sorted {
                $0.path < $1.path
            },
            viewers: answers.viewers,
            loops: answers.loops.map(ServerStatus.LoopLine.init), settingsProblem: settingsFile.problem,
            webhooks: webhooks.status.map { .init($0, at: reading) })
    }

    /// What the event loops and the thread of SRT have answered.
    private struct Answers {
        let viewers: [ServerStatus.ViewerLine]
        let loops: [RTSPServer.Server.Statistics]
        /// By path.
        let receptions: [String: SRTStatistics]
    }

    private func answers(at now: MonotonicTime) async -> Answers {
        Answers(
            viewers: await servers.viewers(at: now), loops: await server.statistics(),
            receptions: await pulls.srt.receptions())
    }

    private func askLoops(at now: MonotonicTime) -> Answers? {
        let isAnswered = DispatchSemaphore(value: 0)
        let answers = AnswersBox()
        Task(executorPreference: tasks) {
            let answer = await self.answers(at: now)
            answers.value.withLock { $0 = answer }
            isAnswered.signal()
        }
        guard isAnswered.wait(timeout: .now() + .seconds(1)) == .success else { return nil }
        return answers.value.withLock { $0 }
    }

    /// Shared with the task, which may outlive the wait.
    private final class AnswersBox: Sendable {
        let value = Mutex<Answers?>(nil)
    }
}
