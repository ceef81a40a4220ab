import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The command line of `apus`, and the messages for wrong arguments.
    @Suite(.serialized, .sharesMachine)
    struct Arguments {
        private func run(_ arguments: String) async throws -> Command.Outcome {
            try await Command.run(
                [ServerProcess.binary()] + arguments.split(separator: " ").map(String.init), within: 10)
        }

        @Test(arguments: [
            ("sevre", "apus serve"), ("help sevre", "apus serve"), ("SERVE", "apus serve"), ("stream", "apus serve"),
            ("play", "apus playlist"), ("validate", "apus check"), ("bandwidth", "apus bench"),
            ("latency rtsp://127.0.0.1/cam", "apus measure"), ("benchmrak", "apus bench"),
            ("bench viewer", "apus bench viewers"), ("bench encode", "apus bench encoding"),
            ("testcard", "apus serve testcard"), ("./film.mp4", "apus serve ./film.mp4"),
            ("rtsp://127.0.0.1/cam", "apus measure rtsp://127.0.0.1/cam"),
        ])
        func aCommandIsSuggestedForAnUnknownOne(arguments: String, suggestion: String) async throws {
            let outcome = try await run(arguments)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("did you mean `\(suggestion)`?"), "\(outcome.diagnostics)")
        }

        @Test func withoutASimilarCommandNothingIsSuggested() async throws {
            let outcome = try await run("xyzzyxyzzy")
            #expect(outcome.status == 64)
            #expect(
                outcome.errors.hasPrefix("Error: `xyzzyxyzzy` is not a command of apus\n"), "\(outcome.diagnostics)")
        }

        @Test(arguments: [
            ("measure cam", "cam is not an RTSP URL"),
            ("bench joins http://127.0.0.1/cam", "http://127.0.0.1/cam is not an RTSP URL"),
            ("measure rtsps://127.0.0.1/cam", "rtsps:// needs --insecure"),
            ("measure rtsps://127.0.0.1/cam --transport udp", "rtsps:// needs --transport tcp and --insecure"),
            ("measure rtsps://127.0.0.1/cam --transport multicast --insecure", "rtsps:// needs --transport tcp:"),
            ("serve testcard --size 1281x720", "The value '1281x720' is invalid for '--size <widthxheight>'"),
            ("serve testcard --size 8x8", "--size expects a whole number from 16 to 8192"),
            ("serve testcard --fps 300", "--fps expects a whole number from 1 to 240"),
            ("serve testcard --bitrate fast", "--bitrate expects"),
            ("bench encoding --preset turbo", "there is no preset 'turbo'; the presets are ultrafast, superfast, "),
            ("serve testcard --user ann", "--user expects NAME:PASSWORD"),
            ("serve testcard --user ann:", "--user expects NAME:PASSWORD"),
            ("serve testcard a=testcard --title Yard", "--title takes a single SOURCE"),
        ])
        func aWrongArgumentIsReportedWithTheUsageOfItsCommand(arguments: String, message: String) async throws {
            let outcome = try await run(arguments)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(message), "\(outcome.diagnostics)")
            #expect(
                outcome.errors.contains("Usage: apus \(arguments.split(separator: " ")[0]) "), "\(outcome.diagnostics)")
        }

        /// `ps` shows the arguments of a process to all users.
        @Test(
            arguments: [
                (["yard=rtsp://ann:s3cret@127.0.0.1:9/cam"], ["yard=rtsp://ann:xxxxxx@127.0.0.1:9/cam"]),
                (["testcard", "--user", "ann:s3cret"], ["testcard", "--user", "ann:xxxxxx"]),
                (["testcard", "--user=ann:s3cret"], ["testcard", "--user=ann:xxxxxx"]),
            ] as [([String], [String])])
        func theProcessListShowsNoPassword(arguments: [String], shown: [String]) async throws {
            let server = try await ServerProcess.start(arguments)
            let list = try String(
                contentsOfFile: "/proc/\(server.command.processID)/cmdline", encoding: .utf8)
            #expect(list.split(separator: "\0").suffix(shown.count).map(String.init) == shown)
            await server.stop()
        }

        @Test func optionsForSourcesAreRefusedForConfiguredPaths() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: {} }", to: "apus.yml")
            let outcome = try await run("serve --config \(folder.file("apus.yml")) --fps 10")
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("apus: --fps needs a SOURCE"), "\(outcome.diagnostics)")
        }

        @Test func serveTakesSizeRateBitrateAndTitle() async throws {
            try await withServer(
                "testcard", "--size", "320x240", "--fps", "10", "--bitrate", "500k", "--title", "The yard"
            ) { server in
                #expect(try await server.isServing())
                let client = try RTSPSocket(port: server.port)
                let description = try client.request("DESCRIBE", server.url())
                #expect(description.body.contains("s=The yard\r\n"))
                let (outcome, report) = try await Measure.report(server.url(), ["--seconds", "1"])
                let rate = try #require(report?.frames.perSecond, "\(outcome.diagnostics)")
                #expect((rate - 10).magnitude < 2)
                let probe = try await Command.run(
                    [
                        "ffprobe", "-v", "error", "-rtsp_transport", "tcp", "-select_streams", "v", "-show_entries",
                        "stream=width,height", "-of", "csv=p=0", server.url(),
                    ], within: 20)
                #expect(probe.text.hasPrefix("320,240"), "\(probe.diagnostics)")
            }
        }

        @Test func onlyTheUsersOfTheCommandLineMayWatch() async throws {
            try await withServer("testcard", "--user", "ann:secret77", "--user", "bob:garden88") { server in
                let client = try RTSPSocket(port: server.port)
                #expect(try client.request("DESCRIBE", server.url()).status == 401)
                for login in ["ann:secret77", "bob:garden88"] {
                    let outcome = try await Measure.run(server.url(host: "\(login)@127.0.0.1"), ["--frames", "5"])
                    #expect(outcome.status == 0, "\(outcome.diagnostics)")
                }
                let wrong = try await Measure.run(server.url(host: "ann:garden88@127.0.0.1"), ["--frames", "5"])
                #expect(wrong.status == 1 && wrong.errors.contains("wrong user or password"), "\(wrong.diagnostics)")
                #expect(!server.log.contains("secret77") && !server.notice.contains("secret77"))
            }
        }

        @Test func otherRunningServersAreNamedIfNoneHasThePort() async throws {
            try await withServer("testcard") { server in
                let outcome = try await run("status --port \(LoopbackSocket.freePort())")
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("--port \(server.port)"), "\(outcome.diagnostics)")
            }
        }
    }
}
