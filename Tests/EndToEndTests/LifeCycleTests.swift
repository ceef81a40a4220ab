import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Starting and stopping.
    @Suite(.serialized, .besideOthers)
    struct LifeCycle {
        @Test func aTakenPortIsSaidWithTheFlagThatChangesIt() async throws {
            try await withServer("testcard") { server in
                let second = try await Command.run(
                    [ServerProcess.binary(), "serve", "--port", "\(server.port)", "testcard"], within: 10)
                #expect(second.status == 1)
                #expect(second.errors.contains("--port"), "\(second.complaint)")
            }
        }

        /// systemd starts it again without a pause.
        @Test func asAServiceItTriesATakenPortOnceASecond() async throws {
            try await withServer("testcard") { server in
                let start = ContinuousClock.now
                let second = try await Command.run(
                    [
                        "env", "NOTIFY_SOCKET=@nobody", ServerProcess.binary(), "serve", "--port", "\(server.port)",
                        "testcard",
                    ],
                    within: 10)
                #expect(second.status == 1)
                #expect(ContinuousClock.now - start >= .seconds(1))
            }
        }

        @Test func aLoneFileThatIsMissingIsAUsageError() async throws {
            let outcome = try await Command.run(
                [ServerProcess.binary(), "serve", "--port", "\(LoopbackSocket.freePort())", "/nowhere/film.mp4"],
                within: 10)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("/nowhere/film.mp4"), "\(outcome.complaint)")
        }

        /// Standard error is a pipe that is full and that nobody reads.
        @Test func aLogThatNobodyTakesHoldsUpNobody() async throws {
            let folder = try TemporaryFolder()
            let stuck = "mkfifo \"$0\" && exec 2<>\"$0\" && head -c 65536 /dev/zero >&2 && exec \"$@\""
            let server = try await ServerProcess.start(["testcard"], prefix: ["bash", "-c", stuck, folder.file("log")])
            #expect(try await server.isOnAir())
            for _ in 0..<3 {
                let viewer = try RTSPSocket(port: server.port)
                #expect(try viewer.play(server.url()).answer.status == 200)
                #expect(viewer.frame(within: 5) != nil)
            }
            await server.stop()
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func aSignalSaysGoodbyeToTheViewersAndEnds(_ signal: Int32) async throws {
            let server = try await ServerProcess.start(["testcard"])
            #expect(try await server.isOnAir())
            let viewer = try RTSPSocket(port: server.port)
            #expect(try viewer.play(server.url()).answer.status == 200)
            #expect(viewer.frame(within: 5) != nil)

            let start = ContinuousClock.now
            server.command.signal(signal)
            var goodbyes: Set<Int> = []
            while let frame = viewer.frame(within: 5) {
                // 203: BYE (RFC 3550, section 12.1).
                if frame.channel % 2 == 1, frame.controlTypes.contains(203) { goodbyes.insert(frame.channel) }
            }
            let outcome = await server.command.finish(within: 5)
            #expect(goodbyes == [1, 3])
            #expect(viewer.isClosed)
            #expect(outcome.status == 0, "\(outcome.complaint)")
            #expect(ContinuousClock.now - start < .seconds(1 * Sanitizer.patience))
        }

        @Test func anIdlePipeDoesNotHoldUpTheEnd() async throws {
            let folder = try TemporaryFolder()
            #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
            try await withServer("pipe=\(folder.file("pipe"))") { _ in }
        }
    }
}
