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
            _ recording: FlashAndTone.Recording, seconds: Double, audio: String = "aac",
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(recording.codecs == ["h264", audio], sourceLocation: sourceLocation)
            #expect(abs(recording.seconds - seconds) < 0.3, "\(recording)", sourceLocation: sourceLocation)
            let offsets = recording.offsets
            #expect(offsets.count >= Int(seconds) - 3, "\(recording)", sourceLocation: sourceLocation)
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

        /// Over TCP beside G.711, which viewers get as it is, and over UDP beside L16.
        @Test func motionJPEGBecomesH264InSync() async throws {
            let audio = ["tcp": ["-c:a", "pcm_alaw", "-ar", "8000", "-ac", "1"], "udp": ["-c:a", "pcm_s16be"]]
            try await withServers(["tcp", "udp"]) { server in
                try await concurrently(["tcp", "udp"]) { name in
                    let publisher = try Command(
                        ["ffmpeg", "-nostdin", "-v", "error"] + FlashAndTone.input() + (audio[name] ?? [])
                            + ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-huffman", "default", "-q:v", "5"]
                            + ["-rtsp_transport", name, "-f", "rtsp", server.url(name)], in: "/")
                    defer { publisher.signal(SIGTERM) }
                    #expect(try await server.isServing(name))
                    let recording = try await FlashAndTone.record(
                        ["-rtsp_transport", "tcp", "-i", server.url(name)], seconds: 6)
                    expectInSync(recording, seconds: 6, audio: name == "tcp" ? "pcm_alaw" : "aac")
                }
                #expect(!server.log.contains("left out"))
            }
        }

        /// GStreamer's payloaders, with frames that are too large for the header of RFC 2435, too. Records a number of frames instead
        /// of seconds, because both sides encode and skip frames if the machine is slow.
        @Test(arguments: [(640, 360, 25), (2_112, 1_200, 5)])
        func aPulledCameraIsTranscoded(width: Int, height: Int, framesPerSecond: Int) async throws {
            let isLarge = width > 2_040
            let audio =
                isLarge
                ? "audio/x-raw,rate=16000,channels=1 ! avenc_g722 ! rtpg722pay name=pay1"
                : "audio/x-raw,rate=48000,channels=2,format=S16BE ! rtpL16pay name=pay1 pt=97"
            let pipeline =
                "videotestsrc is-live=true ! "
                + "video/x-raw,format=I420,width=\(width),height=\(height),framerate=\(framesPerSecond)/1 "
                + "! jpegenc ! rtpjpegpay name=pay0 pt=26 audiotestsrc is-live=true ! audioconvert ! audioresample "
                + "! \(audio)"
            try await GStreamerServer.serving(pipeline) { url in
                try await withServer("cam=\(url)") { server in
                    #expect(try await server.isServing())
                    let folder = try TemporaryFolder()
                    let file = folder.file("recording.mkv")
                    let count = 4 * framesPerSecond
                    let recorded = try await Command.run(
                        ["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", "tcp", "-i", server.url()]
                            + ["-map", "0", "-c", "copy", "-frames:v", "\(count)", file], within: 30)
                    #expect(recorded.status == 0 && recorded.errors.isEmpty, "\(recorded.diagnostics)")
                    let decoded = try await Command.run(
                        ["ffmpeg", "-nostdin", "-v", "error", "-i", file, "-fps_mode:v", "passthrough"]
                            + ["-enc_time_base:v", "-1", "-f", "framemd5", "-"], within: 60)
                    #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.diagnostics)")
                    let probe = try await Command.run(
                        ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0"]
                            + [file], within: 20)
                    #expect(probe.text == "h264,\(width),\(height)\naac\n")
                    #expect(decoded.text.split(separator: "\n").count { $0.hasPrefix("0,") } == count)
                    #expect(!server.log.contains("left out"))
                }
            }
        }
    }
}
