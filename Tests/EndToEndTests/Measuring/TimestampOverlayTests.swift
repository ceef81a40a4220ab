import Foundation
import Media
import TestSupport
import Testing

extension EndToEnd {
    /// The time of capture that stands in the picture, read from what plain clients show.
    @Suite(.serialized, .alone)
    struct BlockCodes {
        private struct Report: Decodable {
            struct Code: Decodable {
                let captured: String
                let frame: UInt32
                let delay: Double
            }
            let taken: String
            let takenBy: String
            let codes: [Code]
        }

        /// What `apus` says of an image.
        private func report(_ image: String, _ options: String...) async throws -> Report {
            let outcome = try await Command.run(
                [try ServerProcess.binary(), "measure", "--json", image] + options, within: 20)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output))
        }

        /// Thirty pictures that plain ffmpeg pulled, each a file that it writes as soon as it has it.
        ///
        /// - Returns: when ffmpeg received each, by its own reading of the wall clock: seconds since 1970.
        private func pull(_ url: String, over transport: String, into folder: TemporaryFolder) async throws -> [Double]
        {
            // Frame threads would hold pictures back, and a constant rate would repeat some. While ffmpeg looks at the stream
            // first, pictures wait for it: the first sixty are passed over.
            let options = ["-threads", "1", "-flags", "low_delay", "-use_wallclock_as_timestamps", "1", "-copyts"]
            let outcome = try await Command.run(
                Client.ffmpeg(url, over: transport, options: ["-v", "info"] + options)
                    + ["-map", "0:v", "-vf", "select=gte(n\\,60),showinfo=checksum=0,scale=853:480"]
                    + ["-frames:v", "30", "-fps_mode", "passthrough", "-f", "image2", folder.file("%03d.bmp")],
                within: 30)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            return outcome.errors.matches(of: #/ pts: *([0-9]+) /#).compactMap { Double($0.1) }.map { $0 / 90_000 }
        }

        /// What `apus measure` tells of the stream, and what the pictures tell by ffmpeg's clock, are the same delay.
        @Test(.timed) func picturesThatFFmpegPulledAreAsOldAsIsMeasured() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: testcard, join: keyframe } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing())
                let url = server.url()
                try await concurrently(["udp", "tcp"]) { try await expectTheAgeThatIsMeasured(of: url, over: $0) }
            }
        }

        private func expectTheAgeThatIsMeasured(of url: String, over transport: String) async throws {
            let folder = try TemporaryFolder()
            async let answer = Measure.report(url, ["--seconds", "5", "--transport", transport])
            let received = try await pull(url, over: transport, into: folder)
            let measured = try await answer.1
            try #require(received.count == 30)
            var (delays, writing): ([Double], [Double]) = ([], [])
            var frames: [UInt32] = []
            for (number, instant) in received.enumerated() {
                let image = folder.file(String(format: "%03d.bmp", number + 1))
                let code = try #require(try await report(image, "--at", "\(instant)").codes.first)
                delays.append(code.delay)
                frames.append(code.frame)
                guard number % 3 == 0 else { continue }
                let written = try await report(image)
                #expect(written.takenBy == "modification")
                writing.append(try #require(written.codes.first).delay)
            }
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 })
            #expect(delays.allSatisfy { $0 > 0 }, "\(delays)")
            let arrival = try #require(measured?.latency.captureToArrival).p50
            #expect((delays.sorted()[15] - arrival).magnitude < 1_000 / 30, "\(delays), but \(arrival)")
            // ffmpeg knows a picture to be whole when the next begins, 33 ms later, and holds one more; decoding and writing come
            // to that. The quickest was held up by nothing else, however busy the machine.
            #expect(try #require(writing.min()) < 120, "\(writing)")
        }

        @Test func aPictureOfAPlayersWindowIsReadAgainstAnyTime() async throws {
            let folder = try TemporaryFolder()
            let image = folder.file("window.png")
            let before = Date()
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let window = "scale=700:394,pad=1600:900:311:207:gray"
                let outcome = try await Command.run(
                    Client.ffmpeg(server.url(), over: "tcp") + ["-map", "0:v", "-vf", window, "-frames:v", "1", image],
                    within: 30)
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
            }
            let report = try await report(image, "--at", "\(before.timeIntervalSince1970)")
            #expect(report.takenBy == "given")
            let missing = try await Measure.run(folder.file("missing.png"), [])
            #expect(missing.status == 1 && missing.errors.contains("No such file"), "\(missing.diagnostics)")
            #expect(try await Measure.run(image, ["--frames", "5"]).status == 64)
            #expect(try await Measure.run("rtsp://127.0.0.1/cam", ["--at", "1795273445"]).status == 64)
            // It was captured since then, or is of the group of pictures that was under way.
            let delay = try #require(report.codes.first).delay
            #expect((-30_000...5_000).contains(delay), "\(delay)")
        }
    }
}
