import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// GStreamer publishes with SRTP, whose keys it sends inside TLS.
    @Suite(.serialized, .sharesMachine, .enabled(if: Client.gstreamer.isInstalled, "needs GStreamer"))
    struct SecurePublishing {
        private func withPublishing(
            _ names: [String], _ body: (ServerProcess, _ tlsPort: Int) async throws -> Void
        ) async throws {
            let folder = try await TemporaryFolder.withCertificate()
            let port = try LoopbackSocket.freePort()
            let paths = names.map { "\($0): { source: publish }" }.joined(separator: ", ")
            try folder.write(
                """
                tls: { encryption: optional, port: \(port), \(folder.certificateOptions) }
                access: { loopback: publish }
                paths: { \(paths) }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { try await body($0, port) }
        }

        /// GStreamer publishes a file once.
        private func gstreamer(_ file: String, to url: String, _ profile: String, over transport: String) -> [String] {
            [
                "gst-launch-1.0", "-q", "rtspclientsink", "name=sink", "location=\(url)", "tls-validation-flags=0",
                "profiles=\(profile)", "protocols=\(transport)", "filesrc", "location=\(file)", "!", "qtdemux",
                "name=demux", "demux.video_0", "!", "queue", "!", "h264parse", "!", "sink.",
                "demux.audio_0", "!", "queue", "!", "aacparse", "!", "sink.",
            ]
        }

        private struct Case {
            let name: String
            let host: String
            let profile: String
            let transport: String
            /// As the log names it.
            let way: String
        }

        /// Over UDP and inside TLS, over IPv4 and IPv6, also with early feedback. Viewers get the video bit by bit.
        @Test func whatGStreamerEncryptsIsUnchanged() async throws {
            let cases = [
                Case(name: "udp", host: "127.0.0.1", profile: "savp", transport: "udp", way: "SRTP over UDP"),
                Case(name: "tcp", host: "127.0.0.1", profile: "savp", transport: "tcp", way: "SRTP over TLS"),
                Case(name: "six", host: "[::1]", profile: "savp", transport: "udp", way: "SRTP over UDP"),
                Case(name: "feedback", host: "127.0.0.1", profile: "savpf", transport: "udp", way: "SRTP over UDP"),
            ]
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            try await withPublishing(cases.map(\.name)) { server, port in
                try await concurrently(cases) { test in
                    let url = "rtsps://\(test.host):\(port)/\(test.name)"
                    let publisher = try Command(
                        gstreamer(file, to: url, test.profile, over: test.transport), in: "/")
                    defer { publisher.signal(SIGKILL) }
                    #expect(await server.logs("path=/\(test.name) "))
                    let copied = try await Command.run(
                        Client.ffmpeg(server.url(test.name), over: "tcp")
                            + ["-map", "0:v", "-c", "copy", "-t", "2", "-f", "h264", "-"], within: 30)
                    #expect(copied.status == 0, "\(test.name): \(copied.diagnostics)")
                    try original.expectVideo(h264: copied.output)
                    let joined = server.log.split(separator: "\n").first {
                        $0.contains("publisher joined") && $0.contains("path=/\(test.name) ")
                    }
                    #expect(joined?.contains(test.way) == true, "\(server.log)")
                }
                #expect(!server.log.contains("failed the authentication"), "\(server.log)")
            }
        }

        /// Without TLS, the keys would be readable on the way.
        @Test func srtpWithoutTLSIsRefused() async throws {
            let file = try await Clip.plain.path()
            try await withPublishing(["clear"]) { server, _ in
                let publisher = try Command(gstreamer(file, to: server.url("clear"), "savp", over: "udp"), in: "/")
                defer { publisher.signal(SIGKILL) }
                #expect(await server.logs("publisher refused"))
                #expect(server.log.contains("SRTP needs rtsps://, because RTSP carries its keys"), "\(server.log)")
            }
        }
    }
}
