import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Publishers and cameras that send what viewers cannot receive.
    @Suite(.serialized, .sharesMachine)
    struct TranscodedInput {
        /// A server to which two paths are published, and one that pulls them from it.
        private func withServers(
            _ names: [String], _ body: (_ origin: ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let paths = names.map { "\($0): { source: publish }" }.joined(separator: ", ")
            try folder.write("access: { loopback: publish }\npaths: { \(paths) }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0) }
        }

        private func expectInSync(
            _ recording: FlashAndTone.Recording, seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(recording.codecs == ["h264", "aac"], sourceLocation: sourceLocation)
            #expect(abs(recording.seconds - seconds) < 0.3, "\(recording)", sourceLocation: sourceLocation)
            let offsets = recording.offsets
            #expect(offsets.count >= Int(seconds) - 2, "\(recording)", sourceLocation: sourceLocation)
            // A frame lasts 40 ms; its start is when it was captured.
            #expect(offsets.allSatisfy { abs($0) < 0.02 }, "\(recording)", sourceLocation: sourceLocation)
        }

        /// L16 with a dynamic and with a static payload type, and G.722.
        @Test func audioOfPublishersBecomesAACInSync() async throws {
            let publishers: [String: [String]] = [
                "l16": FlashAndTone.input() + ["-c:a", "pcm_s16be"],
                "static": FlashAndTone.input(sampleRate: 44_100) + ["-c:a", "pcm_s16be"],
                "g722": FlashAndTone.input(sampleRate: 16_000, channelCount: 1) + ["-c:a", "g722"],
            ]
            try await withServers(publishers.keys.sorted()) { server in
                try await concurrently(publishers.keys.sorted()) { name in
                    let publisher = try Command(
                        ["ffmpeg", "-nostdin", "-v", "error"] + (publishers[name] ?? [])
                            + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "25"]
                            + ["-rtsp_transport", "tcp", "-f", "rtsp", server.url(name)], in: "/")
                    defer { publisher.signal(SIGTERM) }
                    #expect(try await server.isServing(name))
                    let recording = try await FlashAndTone.record(
                        ["-rtsp_transport", "tcp", "-i", server.url(name)], seconds: 6)
                    expectInSync(recording, seconds: 6)
                }
                #expect(!server.log.contains("left out"))
            }
        }
    }
}
