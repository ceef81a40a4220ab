import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `/PATH.jpg`: what the images show, and when it was captured.
    @Suite(.serialized, .sharesMachine)
    struct Snapshots {
        /// Downloads an image, as a home automation server does with its still-image URL.
        ///
        /// - Returns: The headers, with names in lower case.
        @discardableResult
        private func download(_ url: String, to file: String) async throws -> [String: String] {
            let outcome = try await Command.run(["curl", "-sS", "--fail", "-D", "-", "-o", file, url], within: 20)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            let lines = outcome.text.split(whereSeparator: \.isNewline).map { $0.split(separator: ":", maxSplits: 1) }
            return lines.filter { $0.count == 2 }.reduce(into: [:]) {
                $0[$1[0].lowercased()] = $1[1].trimmingCharacters(in: .whitespaces)
            }
        }

        private func size(of image: String) async throws -> String {
            let outcome = try await Command.run(
                ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height,pix_fmt,color_range"]
                    + ["-of", "csv=p=0", image], within: 20)
            return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// The time that the test card shows in its overlay is the one of the header.
        @Test func theOverlayConfirmsTheCaptureTime() async throws {
            let folder = try TemporaryFolder()
            try await withServer("testcard", hasHTTP: true) { server in
                try #require(try await server.isServing())
                let image = folder.file("cam.jpg")
                for _ in 0..<3 {
                    let headers = try await download(server.imageURL(), to: image)
                    let received = Date().timeIntervalSince1970
                    #expect(headers["content-type"] == "image/jpeg")
                    let captured = try #require(headers["capture-time"].flatMap(Double.init))
                    #expect(try await size(of: image) == "mjpeg,1280,720,yuvj420p,pc")
                    let outcome = try await Command.run(
                        [try ServerProcess.binary(), "measure", "--json", image, "--at", "\(captured / 1_000)"],
                        within: 20)
                    let report = try #require(
                        try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any],
                        "\(outcome.diagnostics)")
                    let codes = try #require(report["codes"] as? [[String: Any]])
                    let delay = try #require(codes.first?["delay"] as? Double)
                    #expect(abs(delay) < 1, "\(delay) ms between the overlay and the header")
                    // The frame is new: it was captured within the last second, which is long for a busy machine.
                    #expect(received - captured / 1_000 < 1 * Sanitizer.patience)
                }
                for (width, size) in [("160", "160,90"), ("200", "320,180"), ("640", "640,360"), ("4000", "1280,720")] {
                    try await download(server.imageURL("cam", "?width=\(width)"), to: image)
                    #expect(try await self.size(of: image) == "mjpeg,\(size),yuvj420p,pc")
                }
            }
        }

        /// Frames that are passed on as they come are decoded from the last keyframe, also B-frames.
        @Test(arguments: [Clip.plain, .bFrames, .h265]) func theImageIsAFrameOfTheFile(clip: Clip) async throws {
            let folder = try TemporaryFolder()
            let file = try await clip.path()
            try await withServer(file, hasHTTP: true) { server in
                try #require(try await server.isServing())
                try await download(server.imageURL(), to: folder.file("cam.jpg"))
            }
            let comparison =
                "[0:v]setpts=N/25/TB[a];[1:v]scale=out_range=tv,format=yuv420p,setpts=N/25/TB[b];"
                + "[a][b]psnr=stats_file=\(folder.file("psnr.txt")):shortest=1"
            let outcome = try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", file, "-loop", "1", "-i", folder.file("cam.jpg")]
                    + ["-lavfi", comparison, "-f", "null", "-"], within: 60)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            let likeness = String(decoding: folder.bytes("psnr.txt"), as: UTF8.self).split(separator: "\n").compactMap {
                line in line.firstMatch(of: #/psnr_y:([0-9.]+)/#).flatMap { Double($0.1) }
            }.sorted(by: >)
            // One frame of the file, and no mixture of two. JPEG itself costs some of the likeness.
            #expect(likeness.count > 100 && likeness[0] > 33 && likeness[0] > likeness[1] + 1, "\(likeness.prefix(3))")
        }

        @Test func aSleepingSourceIsWokenAndSleepsAgain() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                log: { level: debug }
                paths:
                  cam: { source: "\(try await Clip.plain.path())", onDemand: true, onDemandCloseSeconds: 1 }
                  gone: { source: "\(folder.file("gone.mp4"))", onDemand: true }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                #expect(await server.logs("source sleeps until"))
                try await download(server.imageURL(), to: folder.file("cam.jpg"))
                #expect(try await size(of: folder.file("cam.jpg")).contains("640,360"))
                #expect(
                    await eventually(within: 10) {
                        server.log.split(separator: "\n").count {
                            $0.contains("source sleeps until") && $0.contains("path=/cam")
                        } == 2
                    }, "\(server.log)")
                // Why the source cannot run is in the answer.
                let client = try HTTPSocket(port: server.httpPort)
                let failed = try #require(client.ask("GET /gone.jpg"))
                #expect(failed.status == 503 && failed.text.contains("no file at"), "\(failed.text)")
                #expect(failed.header("Retry-After") != nil)
            }
        }

        /// Twelve clients at once: two paths are decoded at a time, and the other clients are asked to try again.
        @Test func aFloodIsRefusedWithATimeToTryAgain() async throws {
            let folder = try TemporaryFolder()
            let clip = try await Clip.longGOPs.path()
            let names = (1...12).map { "cam\($0)" }
            try folder.write(
                "paths:\n" + names.map { "  \($0): { source: \"\(clip)\" }\n" }.joined(), to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                for name in names { try #require(try await server.isServing(name)) }
                // Some seconds after a keyframe, decoding takes long enough for all requests to meet.
                let isRefused = try await eventually(within: 20) {
                    let clients = try names.map { _ in try HTTPSocket(port: server.httpPort) }
                    for (client, name) in zip(clients, names) {
                        client.send("GET /\(name).jpg HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    }
                    let responses = try clients.map { try #require($0.response()) }
                    #expect(responses.allSatisfy { $0.status == 200 || $0.status == 503 })
                    #expect(responses.count { $0.status == 200 } >= 2)
                    let refused = responses.filter { $0.status == 503 }
                    #expect(refused.allSatisfy { $0.header("Retry-After") == "1" && $0.text.contains("too many") })
                    return !refused.isEmpty
                }
                #expect(isRefused)
                // The next one is served.
                #expect(try HTTPSocket(port: server.httpPort).ask("GET /cam1.jpg")?.status == 200)
            }
        }
    }
}
