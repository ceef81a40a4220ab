import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// FFmpeg 9 publishes two video tracks over one connection of enhanced RTMP, and each is read at its path over RTSP.
    @Suite(.serialized, .sharesMachineForLong, .enabled(if: NewFFmpeg.path != nil, "needs FFmpeg 9 (FFMPEG_NEW)"))
    struct Multitrack {
        private static let paths = """
            access: { loopback: publish }
            paths:
              yard: { source: publish }
              yard/sub: { source: "track:yard/1" }
            """

        /// The first file's video and audio, and the video of the second as track 1.
        private func ffmpeg(_ main: String, _ other: String, to url: String) throws -> [String] {
            [try #require(NewFFmpeg.path), "-nostdin", "-v", "error"]
                + [main, other].flatMap { ["-re", "-stream_loop", "-1", "-i", $0] }
                + ["-map", "0:v", "-map", "1:v", "-map", "0:a", "-c", "copy", "-f", "flv", url]
        }

        private func videoIsCopied(_ original: CopiedMedia, at url: String) async throws {
            let copied = try await Command.run(
                Client.ffmpeg(url, over: "tcp") + ["-map", "0:v", "-c", "copy", "-t", "6", "-f", "h264", "-"],
                within: 40)
            #expect(copied.status == 0, "\(copied.diagnostics)")
            try original.expectVideo(h264: copied.output)
        }

        @Test func bothTracksAreUnchangedAtTheirPaths() async throws {
            let (main, other) = (try await Clip.plain.path(), try await Clip.bFrames.path())
            let originals = (main: try await CopiedMedia(of: main), other: try await CopiedMedia(of: other))
            let folder = try TemporaryFolder()
            try folder.write(Self.paths, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasRTMP: true) { server in
                let publisher = try Command(ffmpeg(main, other, to: server.rtmpURL("yard")), in: "/")
                defer { publisher.signal(SIGKILL) }
                for path in ["yard", "yard/sub"] {
                    #expect(try await server.isServing(path), "\(publisher.errors) \(server.log)")
                }
                try await originals.main.expectCopy(at: server.url("yard"))
                try await videoIsCopied(originals.other, at: server.url("yard/sub"))
                // The audio is that of the publisher, in both.
                let audio = try await Command.run(
                    Client.ffmpeg(server.url("yard/sub"), over: "tcp")
                        + ["-map", "0:a", "-c", "copy", "-t", "2", "-f", "framemd5", "-"], within: 40)
                #expect(audio.status == 0 && audio.output.count > 1_000, "\(audio.diagnostics)")
                #expect(!server.log.contains("not received"))
            }
        }

        /// Viewers of both paths stay while the publisher is killed and comes back.
        @Test func viewersOfATrackStayWhileThePublisherComesBack() async throws {
            let (main, other) = (try await Clip.plain.path(), try await Clip.bFrames.path())
            let folder = try TemporaryFolder()
            try folder.write(Self.paths, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasRTMP: true) { server in
                let command = try ffmpeg(main, other, to: server.rtmpURL("yard"))
                let first = try Command(command, in: "/")
                defer { first.signal(SIGKILL) }
                #expect(try await server.isServing("yard/sub"), "\(first.errors) \(server.log)")
                let viewer = try Command(
                    Client.ffmpeg(server.url("yard/sub"), over: "tcp")
                        + ["-map", "0:v", "-c", "copy", "-frames:v", "200", "-f", "null", "-"], in: "/")
                defer { viewer.signal(SIGKILL) }
                let hasJoined = await eventually(within: 20) {
                    server.log.split(separator: "\n").contains {
                        $0.contains(" joined") && $0.contains("path=/yard/sub")
                    }
                }
                #expect(hasJoined, "\(server.log)")
                first.signal(SIGKILL)
                #expect(await server.logs("publisher left", within: 20), "\(server.log)")
                let second = try Command(command, in: "/")
                defer { second.signal(SIGKILL) }
                // 200 frames are 8 s, which the first publisher has not sent.
                let outcome = await viewer.finish(within: 60)
                #expect(outcome.status == 0 && !outcome.ranOutOfTime, "\(outcome.diagnostics) \(server.log)")
            }
        }

        /// Without the path, the log names the line that serves the track.
        @Test func aTrackWithoutAPathIsReported() async throws {
            let (main, other) = (try await Clip.plain.path(), try await Clip.bFrames.path())
            let folder = try TemporaryFolder()
            try folder.write("access: { loopback: publish }\npaths: { yard: { source: publish } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasRTMP: true) { server in
                let publisher = try Command(ffmpeg(main, other, to: server.rtmpURL("yard")), in: "/")
                defer { publisher.signal(SIGKILL) }
                #expect(
                    await server.logs("yard/video1: { source: track:yard/1 }", within: 20),
                    "\(publisher.errors) \(server.log)")
                #expect(try await server.isServing("yard"))
            }
        }
    }
}

/// An FFmpeg that writes several video tracks into FLV, which Debian's does not: version 8 or later.
enum NewFFmpeg {
    /// The program that `FFMPEG_NEW` names, or that of the package imageio-ffmpeg (script/install-dependencies --page); `nil` without one.
    static let path: String? = ProcessInfo.processInfo.environment["FFMPEG_NEW"] ?? packaged

    private static var packaged: String? {
        let libraries = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../.build-python/lib").standardizedFileURL
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path)) ?? []
        return versions.lazy.compactMap { version -> String? in
            let folder = libraries.appending(path: "\(version)/site-packages/imageio_ffmpeg/binaries").path
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return files.first { $0.hasPrefix("ffmpeg-") }.map { "\(folder)/\($0)" }
        }.first
    }
}
