import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Publishers and servers that send MPEG-TS in RTP.
    @Suite(.serialized, .sharesMachine)
    struct TransportStreamInput {
        /// GStreamer's pipeline from a file to a transport stream.
        private static func multiplexing(_ file: String, parser: String = "h264parse") -> String {
            "filesrc location=\(file) ! qtdemux name=demux "
                + "demux.video_0 ! queue ! \(parser) config-interval=-1 ! mpegtsmux name=mux "
                + "demux.audio_0 ! queue ! aacparse ! mux. mux."
        }

        /// A shell command: ffmpeg multiplexes, and a second one sends its packets as they are. Only this sends MPEG-TS in RTP.
        private static func ffmpeg(_ input: [String], to url: String, over transport: String = "tcp") -> [String] {
            let multiplexing = "ffmpeg -nostdin -v error \"$@\" -f mpegts -"
            let sending = "ffmpeg -nostdin -v error -f mpegtsraw -i - -map 0 -c copy -rtsp_transport \(transport)"
            return ["sh", "-c", "\(multiplexing) | \(sending) -f rtsp '\(url)'", "sh"] + input
        }

        private func withPublishing(
            _ names: [String], _ body: (ServerProcess) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let paths = names.map { "\($0): { source: publish }" }.joined(separator: ", ")
            try folder.write("access: { loopback: publish }\npaths: { \(paths) }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0) }
        }

        /// H.264 with and without B-frames, AAC at two rates, and a second server that pulls them.
        @Test(arguments: [Clip.plain, .bFrames]) func whatFFmpegPublishesIsUnchanged(_ clip: Clip) async throws {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file)
            try await withPublishing(["tcp", "udp"]) { server in
                try await concurrently(["tcp", "udp"]) { path in
                    let input = ["-re", "-stream_loop", "-1", "-i", file, "-c", "copy"]
                    let publisher = try Command(Self.ffmpeg(input, to: server.url(path), over: path), in: "/")
                    defer { publisher.signal(SIGTERM) }
                    #expect(try await server.isServing(path))
                    try await original.expectCopy(at: server.url(path))
                }
            }
        }

        @Test(.enabled(if: Client.gstreamer.isInstalled, "needs GStreamer"), arguments: ["tcp", "udp"])
        func whatGStreamerPublishesIsUnchanged(transport: String) async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            try await withPublishing(["yard"]) { server in
                let sink = "rtspclientsink location=\(server.url("yard")) protocols=\(transport)"
                let pipeline = "\(Self.multiplexing(file)) ! \(sink)".split(separator: " ").map(String.init)
                let publisher = try Command(["gst-launch-1.0", "-q"] + pipeline, in: "/")
                defer { publisher.signal(SIGINT) }
                #expect(try await server.isServing("yard"))
                try await original.expectCopy(at: server.url("yard"), seconds: 3)
            }
        }

        @Test(arguments: [Clip.plain, .h265]) func whatGStreamerServesIsPulledUnchanged(_ clip: Clip) async throws {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file, format: clip == .h265 ? "hevc" : "h264")
            let parser = clip == .h265 ? "h265parse" : "h264parse"
            try await GStreamerServer.serving("\(Self.multiplexing(file, parser: parser)) ! rtpmp2tpay name=pay0") {
                url in
                try await withServer("cam=\(url)") { server in
                    #expect(try await server.isServing())
                    try await original.expectCopy(at: server.url(), seconds: 3)
                }
            }
        }

        /// Flashes and tones stay together, although multiplexers store audio at other times than video.
        @Test func audioAndVideoStayInSync() async throws {
            try await withPublishing(["yard"]) { server in
                let encoding = [
                    "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "25", "-c:a", "aac",
                ]
                let publisher = try Command(
                    Self.ffmpeg(FlashAndTone.input() + encoding, to: server.url("yard")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(try await server.isServing("yard"))
                let recording = try await FlashAndTone.record(
                    ["-rtsp_transport", "tcp", "-i", server.url("yard")], seconds: 6)
                #expect(recording.codecs == ["h264", "aac"])
                #expect(recording.offsets.count >= 3 && abs(recording.meanOffset) < 0.04, "\(recording)")
            }
        }

        /// The reason for which nothing can be made of a transport stream is in the log.
        @Test func aStreamWithoutASupportedCodecEndsWithItsReason() async throws {
            try await withPublishing(["yard"]) { server in
                let encoding = ["-c:v", "mpeg2video", "-c:a", "mp2"]
                let publisher = try Command(
                    Self.ffmpeg(FlashAndTone.input() + encoding, to: server.url("yard")), in: "/")
                defer { publisher.signal(SIGTERM) }
                #expect(await server.logs("publisher joined"))
                #expect(
                    await server.logs(
                        "the transport stream has no supported codec, only MPEG-2 video, MPEG-1 audio", within: 20))
            }
        }
    }
}
