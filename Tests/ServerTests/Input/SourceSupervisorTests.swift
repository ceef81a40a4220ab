import Dispatch
import Logging
import Media
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Server

struct RestartScheduleTests {
    private static func seconds(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    @Test func pausesDoubleFromAQuarterOfASecondToTenSeconds() {
        var schedule = RestartSchedule()
        var now = Self.seconds(100)
        let pauses = (0..<8).map { _ in
            let verdict = schedule.ended("no file", startedAt: now, at: now)
            now = now.advanced(byMilliseconds: verdict.pauseMilliseconds)
            return verdict.pauseMilliseconds
        }
        #expect(pauses == [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    }

    @Test func afterARunOfTenSecondsThePauseIsShortAgain() {
        var schedule = RestartSchedule()
        _ = schedule.ended("a", startedAt: Self.seconds(0), at: Self.seconds(0))
        _ = schedule.ended("a", startedAt: Self.seconds(1), at: Self.seconds(1))
        #expect(schedule.ended("a", startedAt: Self.seconds(2), at: Self.seconds(11.9)).pauseMilliseconds == 1000)
        #expect(schedule.ended("a", startedAt: Self.seconds(12), at: Self.seconds(22)).pauseMilliseconds == 250)
    }

    /// A wrong password is not tried every 250 ms, and other failures later still have short pauses.
    @Test func aFailureMayAskForALongerPause() {
        var schedule = RestartSchedule()
        let now = Self.seconds(0)
        #expect(schedule.ended("no", leastPause: 10_000, startedAt: now, at: now).pauseMilliseconds == 10_000)
        #expect(schedule.ended("gone", startedAt: now, at: now).pauseMilliseconds == 500)
    }

    /// Two hundred cameras behind one switch that restarts do not all come back in the same millisecond.
    @Test func jitterMovesAPauseByAQuarterButNotBelowTheLeast() {
        let now = Self.seconds(0)
        for (jitter, least, expected) in [(-0.25, 0, 187), (0.25, 0, 312), (0.25, 10_000, 10_000)]
            as [(Double, Int64, Int64)]
        {
            var schedule = RestartSchedule()
            let verdict = schedule.ended("no", leastPause: least, jitter: jitter, startedAt: now, at: now)
            #expect(verdict.pauseMilliseconds == expected)
        }
    }

    @Test func theSameReasonIsLoggedOnceAMinuteAndANewOneAtOnce() {
        var schedule = RestartSchedule()
        let table: [(Double, String, RestartSchedule.Report)] = [
            (0, "a", .log(unlogged: 0)), (1, "a", .suppress), (2, "a", .suppress), (3, "b", .log(unlogged: 0)),
            (4, "b", .suppress), (62.9, "b", .suppress), (63, "b", .log(unlogged: 2)), (64, "a", .log(unlogged: 0)),
        ]
        for (instant, reason, expected) in table {
            let now = Self.seconds(instant)
            #expect(schedule.ended(reason, startedAt: now, at: now).report == expected, "at \(instant) s")
        }
    }
}

struct SourceSupervisorTests {
    @Test func aFailedSourceIsRestartedAndItsFailureLogged() {
        let source = ScriptedSource(failures: 2)
        let lines = Lines()
        let supervisor = SourceSupervisor(
            source, into: Stream(path: "/cam", epoch: .init(nanoseconds: 0)), log: lines.logger)
        supervisor.start()
        source.waitUntilRunning()
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
        #expect(source.runs == 3)
        #expect(lines.all.count { $0.contains("the camera is away; plug it in") } == 1)
    }

    @Test func stoppingEndsAPauseAtOnce() {
        let source = ScriptedSource(failures: .max)
        let supervisor = SourceSupervisor(
            source, into: Stream(path: "/cam", epoch: .init(nanoseconds: 0)), log: Lines().logger)
        supervisor.start()
        supervisor.stop()
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    /// Dispatch queues share 255 threads.
    @Test func threeHundredBlockedSourcesDoNotStopOtherWork() throws {
        let sources = (0..<300).map { _ in ScriptedSource(failures: 0) }
        let supervisors = sources.enumerated().map { index, source in
            SourceSupervisor(
                source, into: Stream(path: "/\(index)", epoch: .init(nanoseconds: 0)), log: Lines().logger)
        }
        for supervisor in supervisors { supervisor.start() }
        let deadline = DispatchTime.now() + .seconds(20)
        #expect(sources.count { $0.isRunning(by: deadline) } == 300)
        for supervisor in supervisors { supervisor.stop() }
        #expect(supervisors.allSatisfy { $0.join(until: .now() + .seconds(5)) })
    }

    @Test func aRestartBeginsANewRunAtOnceAndIsNoFailure() {
        let source = ScriptedSource(failures: 0)
        let supervisor = SourceSupervisor(
            source, into: Stream(path: "/cam", epoch: .init(nanoseconds: 0)), log: Lines().logger)
        supervisor.start()
        source.waitUntilRunning()
        #expect(supervisor.restart())
        source.waitUntilRunning()
        #expect(source.runs == 2)
        #expect(supervisor.condition.restartCount == 0 && supervisor.condition.lastFailure == nil)
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    @Test func aRestartEndsThePauseOfASourceThatFails() async {
        // Without a restart, the pauses before the ninth run take 25 s.
        let source = ScriptedSource(failures: 8)
        let supervisor = SourceSupervisor(
            source, into: Stream(path: "/cam", epoch: .init(nanoseconds: 0)), log: Lines().logger)
        supervisor.start()
        let hasStarted = await eventually(within: 15) {
            source.runs >= 9 || supervisor.restart() && source.runs >= 9
        }
        #expect(hasStarted)
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    @Test func standardInputCannotBeRestarted() {
        let source = ScriptedSource(failures: 0)
        let supervisor = SourceSupervisor(
            source, into: Stream(path: "/cam", epoch: .init(nanoseconds: 0)), atEndOfInput: .isFinal,
            log: Lines().logger)
        supervisor.start()
        source.waitUntilRunning()
        #expect(!supervisor.restart() && source.runs == 1)
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }

    @Test func aNewSourceStartsWhenTheOldOneHasEnded() {
        let stream = Stream(path: "/cam", epoch: .init(nanoseconds: 0))
        let (former, next) = (ScriptedSource(failures: 0), ScriptedSource(failures: 0))
        let first = SourceSupervisor(former, into: stream, log: Lines().logger)
        let second = SourceSupervisor(next, into: stream, log: Lines().logger)
        first.start()
        former.waitUntilRunning()
        second.start(after: [first])
        #expect(!second.join(until: .now() + .milliseconds(100)) && next.runs == 0)
        first.stop()
        next.waitUntilRunning()
        second.stop()
        #expect(second.join(until: .now() + .seconds(1)))
        #expect(former.runs == 1 && next.runs == 1)
    }

    @Test func anInputThatCannotBeReopenedIsNotRestarted() {
        let source = ScriptedSource(failures: 0, endsAtOnce: true)
        let lines = Lines()
        let supervisor = SourceSupervisor(
            source, into: Stream(path: "/cam", epoch: .init(nanoseconds: 0)), atEndOfInput: .isFinal, log: lines.logger)
        supervisor.start()
        #expect(supervisor.join(until: .now() + .seconds(1)))
        #expect(source.runs == 1)
        #expect(lines.all.contains { $0.contains("the input has ended") })
    }

    @Test func aFileThatIsPlayedOnceIsNotRestartedAndItsStreamEnds() {
        let source = ScriptedSource(failures: 0, endsAtOnce: true, endsForGood: true)
        let stream = Stream(path: "/film", epoch: .init(nanoseconds: 0))
        let ends = Mutex(0)
        stream.observeEnd { _ in ends.withLock { $0 += 1 } }
        let supervisor = SourceSupervisor(source, into: stream, log: Lines().logger)
        supervisor.start()
        #expect(supervisor.join(until: .now() + .seconds(1)))
        supervisor.stop()
        #expect(source.runs == 1)
        #expect(stream.hasEnded)
        #expect(ends.withLock { $0 } == 1)
    }

    @Test func theConditionIsFailingUntilTheSourcePublishesAgain() {
        let source = ScriptedSource(failures: 1)
        let stream = Stream(path: "/cam", epoch: .init(nanoseconds: 0))
        let supervisor = SourceSupervisor(source, into: stream, log: Lines().logger)
        #expect(supervisor.condition.state == .starting)
        supervisor.start()
        source.waitUntilRunning()
        #expect(supervisor.condition.state == .failing)
        #expect(supervisor.condition.reason == "the camera is away; plug it in")
        #expect(supervisor.condition.nextTry == nil)
        let track = Track(
            id: TrackID(0), clockRate: .audio48k,
            format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))
        stream.announce([track])
        let time = MediaTime(nanoseconds: 0, rate: .audio48k)
        stream.publish(
            AccessUnit(
                track: track.id, presentationTime: time, decodeTime: time, isKeyframe: true, nalUnits: [[1]]))
        #expect(supervisor.condition.state == .running)
        #expect(supervisor.condition.reason == nil)
        supervisor.stop()
        #expect(supervisor.join(until: .now() + .seconds(1)))
    }
}

struct SourceRunsTests {
    private static func seconds(_ seconds: Int64) -> MonotonicTime { .init(nanoseconds: seconds * 1_000_000_000) }

    @Test func aFailureHasAStartAndANextTry() {
        var runs = SourceRuns(at: Self.seconds(0))
        runs.started(at: Self.seconds(1), publishedBytes: 0)
        runs.failed("no file", at: Self.seconds(2), nextTry: Self.seconds(3), publishedBytes: 0)
        let first = SourceCondition(
            state: .failing, since: Self.seconds(2), reason: "no file", nextTry: Self.seconds(3),
            lastFailure: .init(reason: "no file", at: Self.seconds(2)))
        #expect(runs.condition(publishedBytes: 0) == first)
        runs.started(at: Self.seconds(3), publishedBytes: 0)
        runs.failed("no right", at: Self.seconds(4), nextTry: Self.seconds(5), publishedBytes: 0)
        let second = SourceCondition(
            state: .failing, since: Self.seconds(2), reason: "no right", nextTry: Self.seconds(5), restartCount: 1,
            lastFailure: .init(reason: "no right", at: Self.seconds(4)))
        #expect(runs.condition(publishedBytes: 0) == second)
    }

    @Test func aFailureAfterMediaIsANewFailure() {
        var runs = SourceRuns(at: Self.seconds(0))
        runs.failed("no file", at: Self.seconds(1), nextTry: Self.seconds(2), publishedBytes: 0)
        runs.started(at: Self.seconds(2), publishedBytes: 0)
        let running = SourceCondition(
            state: .running, since: Self.seconds(2), restartCount: 1,
            lastFailure: .init(reason: "no file", at: Self.seconds(1)))
        #expect(runs.condition(publishedBytes: 9) == running)
        runs.failed("no file", at: Self.seconds(8), nextTry: Self.seconds(9), publishedBytes: 9)
        #expect(runs.condition(publishedBytes: 9).since == Self.seconds(8))
    }

    @Test func anInputThatHasEndedForGoodHasNoNextTry() {
        var runs = SourceRuns(at: Self.seconds(0))
        runs.started(at: Self.seconds(0), publishedBytes: 0)
        runs.ended(at: Self.seconds(4), nextTry: nil, publishedBytes: 9)
        #expect(runs.condition(publishedBytes: 9) == SourceCondition(state: .ended, since: Self.seconds(4)))
    }
}
