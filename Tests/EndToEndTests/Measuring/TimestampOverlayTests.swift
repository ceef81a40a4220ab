import Foundation
import Media
import TestSupport
import Testing

extension EndToEnd {
    /// Reads the capture time in the machine-readable overlay of frames that ordinary clients decode.
    @Suite(.serialized, .exclusive)
    struct TimestampOverlays {
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

        /// Runs `apus measure` on an image and returns its report.
        private func report(_ image: String, _ options: String...) async throws -> Report {
            let outcome = try await Command.run(
                [try ServerProcess.binary(), "measure", "--json", image] + options, within: 20)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output))
        }

        /// Makes ffmpeg decode thirty frames and write each to a file at once.
        ///
        /// - Returns: The times at which ffmpeg received the frames by its own wall clock, in seconds since 1970.
        private func pull(_ url: String, over transport: String, into folder: TemporaryFolder) async throws -> [Double]
        {
            // Frame threads would delay frames, and a constant frame rate would repeat some. Frames also wait while ffmpeg probes
            // the stream; therefore the first sixty are skipped.
            let options = ["-threads", "1", "-flags", "low_delay", "-use_wallclock_as_timestamps", "1", "-copyts"]
            let outcome = try await Command.run(
                Client.ffmpeg(url, over: transport, options: ["-v", "info"] + options)
                    + ["-map", "0:v", "-vf", "select=gte(n\\,60),showinfo=checksum=0,scale=853:480"]
                    + ["-frames:v", "30", "-fps_mode", "passthrough", "-f", "image2", folder.file("%03d.bmp")],
                within: 30)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            return outcome.errors.matches(of: #/ pts: *([0-9]+) /#).compactMap { Double($0.1) }.map { $0 / 90_000 }
        }

        /// The latency that `apus measure` reports equals the latency computed from the overlay and ffmpeg's clock.
        @Test(.timed) func theOverlayInFramesFromFFmpegConfirmsTheMeasuredLatency() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: testcard, join: keyframe } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing())
                let url = server.url()
                try await concurrently(["udp", "tcp"]) { try await expectMeasuredLatency(of: url, over: $0) }
            }
        }

        private func expectMeasuredLatency(of url: String, over transport: String) async throws {
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
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 }, "\(frames)")
            #expect(delays.allSatisfy { $0 > 0 }, "\(delays)")
            let arrival = try #require(measured?.latency.captureToArrival).p50
            #expect((delays.sorted()[15] - arrival).magnitude < 1_000 / 30, "\(delays), but \(arrival)")
            // ffmpeg completes a frame when the next begins, 33 ms later, and delays one more frame; decoding and writing add to
            // that. The fastest frame is free of other delays even on a busy machine.
            #expect(try #require(writing.min()) < 120, "\(writing)")
        }

        @Test func aScreenshotIsComparedWithAGivenTime() async throws {
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
            // The frame was captured after the start or belongs to the GOP before it.
            let delay = try #require(report.codes.first).delay
            #expect((-30_000...5_000).contains(delay), "\(delay)")
        }
    }
}
