import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Codecs beside H.264 and AAC, from a file through two servers to ffmpeg and GStreamer.
    @Suite(.serialized, .sharesMachineForLong)
    struct Codecs {
        @Test func h265IsServedAndPulledUnchanged() async throws {
            let file = try await Clip.h265.path()
            let original = try await CopiedMedia(of: file, format: "hevc")
            try await withServer(file) { origin in
                #expect(try await origin.isServing())
                try await original.expectCopy(at: origin.url())
                try await expectGStreamerCopy(of: original, at: origin.url())
                try await withServer("cam=\(origin.url())") { edge in
                    #expect(try await edge.isServing())
                    try await original.expectCopy(at: edge.url())
                }
            }
        }

        @Test func opusIsServedAndPulledUnchanged() async throws {
            let file = try await Clip.opus.path()
            let original = try await CopiedMedia(of: file)
            try await withServer(file) { origin in
                #expect(try await origin.isServing())
                try await original.expectCopy(at: origin.url())
                try await withServer("cam=\(origin.url())") { edge in
                    #expect(try await edge.isServing())
                    try await original.expectCopy(at: edge.url())
                }
            }
        }

        /// Packets are divided differently in the file, so the samples are compared.
        @Test func g711IsServedAndPulledUnchanged() async throws {
            let file = try await Clip.g711.path()
            let original = try await samples(of: ["ffmpeg", "-nostdin", "-v", "error", "-i", file])
            #expect(original.count == 48_000)
            try await withServer(file) { origin in
                #expect(try await origin.isServing())
                try await withServer("cam=\(origin.url())") { edge in
                    #expect(try await edge.isServing())
                    for url in [origin.url(), edge.url()] {
                        let copy = try await samples(of: Client.ffmpeg(url, over: "tcp") + ["-t", "4"])
                        try #require(copy.count > 24_000, "\(url)")
                        // A second without the end of the file.
                        let found = [8_000, 16_000].contains { start in
                            Data(original).range(of: Data(copy[start..<(start + 8_000)])) != nil
                        }
                        #expect(found, "\(url)")
                    }
                }
            }
        }

        /// ffmpeg publishes AAC in LATM, which viewers get as AAC (RFC 3640).
        @Test func latmIsReceivedAsAAC() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            try folder.write("access: { loopback: publish }\npaths: { cam: { source: publish } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                let publisher = try Command(
                    ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy"]
                        + ["-rtpflags", "latm", "-rtsp_transport", "tcp", "-f", "rtsp", server.url()], in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(await server.logs("publisher joined"))
                try await original.expectCopy(at: server.url())
            }
        }

        private func samples(of command: [String]) async throws -> [UInt8] {
            let outcome = try await Command.run(
                command + ["-map", "0:a", "-c", "copy", "-f", "alaw", "-"], within: 30)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            return outcome.output
        }

        private func expectGStreamerCopy(of original: CopiedMedia, at url: String) async throws {
            guard Client.gstreamer.isInstalled else { return }
            let folder = try TemporaryFolder()
            let outcome = try await Command.run(
                [
                    "gst-launch-1.0", "-q", "rtspsrc", "location=\(url)", "protocols=tcp", "!", "rtph265depay", "!",
                    "h265parse", "!", "video/x-h265,stream-format=byte-stream,alignment=au", "!", "identity",
                    "eos-after=100", "!", "filesink", "location=\(folder.file("copy.h265"))",
                ], within: 30)
            #expect(outcome.status == 0 || Client.gstreamer.cancelledItsOwnPause(outcome), "\(outcome.diagnostics)")
            let bytes = try Data(contentsOf: URL(filePath: folder.file("copy.h265")))
            // The last unit may be incomplete, because the file is not closed in order.
            try original.expectVideo([UInt8](bytes))
        }
    }
}
