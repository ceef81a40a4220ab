import Dispatch
import Media
import RTSPServer
import Reactor
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
        let answers = (await servers.viewers(at: reading.monotonic), await server.statistics())
        return status(answers, hasPictureTimes: false, at: reading)
    }

    private func status(_ answers: Answers, hasPictureTimes: Bool, at reading: ClockReading) -> ServerStatus {
        let now = reading.monotonic
        let paths = state.withLock { Array($0.paths.values) }
        let (viewers, loops) = answers
        return ServerStatus(
            version: apusVersion, uptime: Double(now - clock.epoch) / 1_000_000_000,
            streams: paths.map {
                .init($0, forwards.all(of: $0.stream.path), hasPictureTimes: hasPictureTimes, at: reading)
            }.sorted {
                $0.path < $1.path
            },
            viewers: viewers,
            loops: loops.map(ServerStatus.LoopLine.init), settingsProblem: settingsFile.problem,
            webhooks: webhooks.status.map { .init($0, at: reading) })
    }

    private typealias Answers = (viewers: [ServerStatus.ViewerLine], loops: [RTSPServer.Server.Statistics])

    private func askLoops(at now: MonotonicTime) -> Answers? {
        let isAnswered = DispatchSemaphore(value: 0)
        let answers = AnswersBox()
        let (servers, server) = (servers, server)
        Task(executorPreference: tasks) {
            let (viewers, loops) = (await servers.viewers(at: now), await server.statistics())
            answers.value.withLock { $0 = (viewers, loops) }
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
