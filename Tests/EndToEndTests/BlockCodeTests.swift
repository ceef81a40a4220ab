import Foundation
import Media
import TestSupport
import Testing

extension EndToEnd {
    /// The time of capture that stands in the picture, read from what plain clients show.
    @Suite(.serialized)
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
            #expect(outcome.status == 0, "\(outcome.complaint)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output))
        }

        /// Each picture is a file that ffmpeg writes as soon as it has it: the file's own time is that of arrival.
        @Test(arguments: ["udp", "tcp"])
        func picturesThatFFmpegPulledAreAsOldAsTheyCanBe(over transport: String) async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: testcard, join: keyframe } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isOnAir())
                // Frame threads would hold pictures back, and a constant rate would repeat some.
                let options = ["-threads", "1", "-flags", "low_delay"]
                let outcome = try await Command.run(
                    Client.ffmpeg(server.url(), over: transport, options: options)
                        + ["-map", "0:v", "-vf", "scale=853:480", "-frames:v", "90"]
                        + ["-fps_mode", "passthrough", "-f", "image2"]
                        + [folder.file("%03d.bmp")], within: 30)
                #expect(outcome.status == 0, "\(outcome.complaint)")
            }
            var delays: [Double] = []
            var frames: [UInt32] = []
            for number in 1...90 {
                let report = try await report(folder.file(String(format: "%03d.bmp", number)))
                #expect(report.takenBy == "modification")
                let code = try #require(report.codes.first)
                delays.append(code.delay)
                frames.append(code.frame)
            }
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 })
            // While ffmpeg looks at the stream first, pictures wait for it. Later they come live: ffmpeg knows a picture to be
            // whole when the next begins, 33 ms later; coding, decoding and writing come to that. The quickest of thirty
            // was held up by nothing else, however busy the machine.
            let live = delays.suffix(30)
            #expect(live.allSatisfy { $0 > 0 }, "\(delays)")
            #expect(try #require(live.min()) < 100, "\(delays)")
        }

        @Test func aPictureOfAPlayersWindowIsReadAgainstAnyTime() async throws {
            let folder = try TemporaryFolder()
            let image = folder.file("window.png")
            let before = Date()
            try await withServer("testcard") { server in
                #expect(try await server.isOnAir())
                let window = "scale=700:394,pad=1600:900:311:207:gray"
                let outcome = try await Command.run(
                    Client.ffmpeg(server.url(), over: "tcp") + ["-map", "0:v", "-vf", window, "-frames:v", "1", image],
                    within: 30)
                #expect(outcome.status == 0, "\(outcome.complaint)")
            }
            let report = try await report(image, "--at", "\(before.timeIntervalSince1970)")
            #expect(report.takenBy == "given")
            let missing = try await Measure.run(folder.file("missing.png"), [])
            #expect(missing.status == 1 && missing.errors.contains("No such file"), "\(missing.complaint)")
            #expect(try await Measure.run(image, ["--frames", "5"]).status == 64)
            #expect(try await Measure.run("rtsp://127.0.0.1/cam", ["--at", "1795273445"]).status == 64)
            // It was captured since then, or is of the group of pictures that was under way.
            let delay = try #require(report.codes.first).delay
            #expect((-30_000...5_000).contains(delay), "\(delay)")
        }
    }
}
