import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Apus as a client of RTMP servers: of another Apus, and of ffmpeg, which takes or gives one stream.
    @Suite(.serialized, .sharesMachineForLong)
    struct RTMPClients {
        /// What comes back from another server by RTMP equals the file: from `cam` by RTMP to the other's `yard`, by RTMPS to its `safe`,
        /// and from there by RTMP to `back`.
        @Test(arguments: [Clip.plain, .bFrames])
        func aStreamIsUnchangedOnItsWayThere(_ clip: Clip) async throws {
            let original = try await CopiedMedia(of: clip.path())
            let folder = try await TemporaryFolder.withCertificate()
            let (port, tlsPort) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            try folder.write(
                """
                tls: { encryption: optional, port: \(port), \(folder.certificateOptions) }
                rtmp: { tlsPort: \(tlsPort) }
                users:
                  ann: { password: sesame, publish: ["*"], read: ["*"] }
                paths: { yard: { source: publish }, safe: { source: publish } }
                """, to: "other.yml")
            try await withServer("--config", folder.file("other.yml"), hasRTMP: true) { other in
                let yard = other.rtmpURL("yard")
                try folder.write(
                    """
                    paths:
                      cam:
                        source: \(try await clip.path())
                        forward:
                          - "\(yard.replacing("//", with: "//ann:sesame@"))"
                          - { url: "rtmps://127.0.0.1:\(tlsPort)/safe", user: ann, password: sesame, certificate: any }
                      back: { source: "\(yard)?user=ann&pass=sesame" }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    for transport in ["RTMP", "RTMPS"] {
                        #expect(await other.logs("transport=\(transport)"), "\(origin.log) \(other.log)")
                    }
                    #expect(try await origin.isServing("back"), "\(origin.log)")
                    try await original.expectCopy(at: origin.url("back"))
                    try await original.expectCopy(at: "rtsp://ann:sesame@127.0.0.1:\(other.port)/safe")
                    let status = try await Command.run([ServerProcess.binary(), "status", "--port", "\(origin.port)"])
                    #expect(status.text.contains(" RTMPS "), "\(status.text)")
                    for text in [status.text, origin.log, origin.notice] { #expect(!text.contains("sesame")) }
                }
                #expect(await other.logs("publisher left"))
            }
        }

        @Test func ffmpegTakesAForwardedStream() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            let url = "rtmp://127.0.0.1:\(try LoopbackSocket.freePort())/live/s3cret"
            try folder.write("paths: { cam: { source: \(file), forward: \"\(url)\" } }", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { origin in
                let taken = try await Command.run(
                    [
                        "ffmpeg", "-nostdin", "-v", "error", "-listen", "1", "-i", url, "-map", "0:v", "-c", "copy",
                        "-t", "4", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-",
                    ], within: 40)
                #expect(taken.status == 0, "\(taken.diagnostics)\n\(origin.log)")
                try original.expectVideo(h264: taken.output)
                #expect(!origin.log.contains("s3cret"), "\(origin.log)")
            }
        }

        /// RTMP has no G.711, so it is encoded as AAC for the other server.
        @Test func g711IsForwardedAsAAC() async throws {
            let folder = try TemporaryFolder()
            try folder.write("access: { loopback: publish }\npaths: { yard: { source: publish } }\n", to: "other.yml")
            try await withServer("--config", folder.file("other.yml"), hasRTMP: true) { other in
                try folder.write(
                    "paths: { cam: { source: \(try await Clip.g711.path()), forward: \"\(other.rtmpURL("yard"))\" } }",
                    to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    #expect(try await other.isServing("yard"), "\(origin.log) \(other.log)")
                    let codecs = try await Command.run(
                        ["ffprobe", "-v", "error", "-rtsp_transport", "tcp", "-show_entries", "stream=codec_name"]
                            + ["-of", "csv=p=0", other.url("yard")], within: 20)
                    #expect(
                        codecs.text.split(separator: "\n") == ["h264", "aac"], "\(codecs.diagnostics) \(origin.log)")
                }
            }
        }

        /// The server goes, and is back.
        @Test func viewersOfAPulledStreamStayWhileItsServerIsAway() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            let rtmpPort = try LoopbackSocket.freePort()
            try folder.write(
                "paths: { copy: { source: \"rtmp://127.0.0.1:\(rtmpPort)/cam\" } }", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { edge in
                try await withServer("--rtmp-port", "\(rtmpPort)", file) { _ in
                    let isServing = try await edge.isServing("copy")
                    #expect(isServing, "\(edge.log)")
                }
                #expect(await edge.logs("rtmp://127.0.0.1:\(rtmpPort)/cam: "), "\(edge.log)")
                let viewer = try Command(
                    Client.ffmpeg(edge.url("copy"), over: "tcp")
                        + ["-map", "0:v", "-c", "copy", "-frames:v", "100", "-f", "null", "-"], in: "/")
                defer { viewer.signal(SIGKILL) }
                try await withServer("--rtmp-port", "\(rtmpPort)", file) { _ in
                    let outcome = await viewer.finish(within: 40)
                    #expect(outcome.status == 0, "\(outcome.diagnostics) \(edge.log)")
                }
            }
        }
    }
}
