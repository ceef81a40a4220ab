import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server that publishes its streams to another server.
    @Suite(.serialized, .sharesMachine)
    struct Forwarded {
        /// A server with paths for a publisher with a password, in clear text and with TLS.
        private static func destination(in folder: TemporaryFolder, tlsPort: Int) throws -> String {
            try folder.write(
                """
                tls: { encryption: optional, port: \(tlsPort), \(folder.certificateOptions) }
                users:
                  ann: { password: sesame, publish: ["*"] }
                paths:
                  tcp: { source: publish }
                  udp: { source: publish }
                  tls: { source: publish }
                """, to: "destination.yml")
            return folder.file("destination.yml")
        }

        private static func viewing(_ path: String, of server: ServerProcess) -> String {
            "rtsp://ann:sesame@127.0.0.1:\(server.port)/\(path)"
        }

        /// What the other server's viewers see equals the file, over all transports, with Digest.
        @Test(arguments: [Clip.plain, .bFrames]) func aForwardedStreamIsUnchanged(_ clip: Clip) async throws {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file)
            let folder = try await TemporaryFolder.withCertificate()
            let tlsPort = try LoopbackSocket.freePort()
            let configuration = try Self.destination(in: folder, tlsPort: tlsPort)
            try await withServer("--config", configuration) { destination in
                try folder.write(
                    """
                    paths:
                      cam:
                        source: \(file)
                        forward:
                          - rtsp://ann:sesame@127.0.0.1:\(destination.port)/tcp
                          - { url: "rtsp://127.0.0.1:\(destination.port)/udp", transport: udp, user: ann, password: sesame }
                          - { url: "rtsps://ann:sesame@127.0.0.1:\(tlsPort)/tls", certificate: any }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    for transport in ["TCP", "UDP", "TLS"] {
                        #expect(await destination.logs("transport=\(transport)"), "\(origin.log)")
                    }
                    try await concurrently(["tcp", "udp", "tls"]) { path in
                        try await original.expectCopy(at: Self.viewing(path, of: destination))
                    }
                    let status = try await Command.run([
                        ServerProcess.binary(), "status", "--port", "\(origin.port)",
                    ])
                    #expect(status.text.contains("rtsps://127.0.0.1:\(tlsPort)/tls"), "\(status.text)")
                    for text in [status.text, origin.log, origin.notice] { #expect(!text.contains("sesame")) }
                }
                #expect(await destination.logs("the client sent TEARDOWN"))
            }
        }

        /// H.265 and Opus arrive as they are; G.711 is described and received.
        @Test func otherCodecsAreForwarded() async throws {
            let folder = try TemporaryFolder()
            let clips = [("h265", Clip.h265), ("opus", Clip.opus), ("g711", Clip.g711)]
            try folder.write(
                "access: { loopback: publish }\npaths: { 'copy/*': { source: publish } }\n", to: "other.yml")
            try await withServer("--config", folder.file("other.yml")) { destination in
                var paths = "paths:\n"
                for (name, clip) in clips {
                    let url = destination.url("copy/\(name)")
                    paths += "  \(name): { source: \(try await clip.path()), forward: \"\(url)\" }\n"
                }
                try folder.write(paths, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    for (name, clip) in clips {
                        #expect(try await destination.isServing("copy/\(name)"), "\(origin.log)")
                        guard clip != .g711 else { continue }
                        let original = try await CopiedMedia(
                            of: clip.path(), format: clip == .h265 ? "hevc" : "h264")
                        try await original.expectCopy(at: destination.url("copy/\(name)"))
                    }
                    try await Client.ffmpeg.watch(destination.url("copy/g711"), over: "tcp", log: destination.log)
                }
            }
        }

        /// ffmpeg as the other server: it takes one stream and writes it to a file.
        @Test(arguments: ["tcp", "udp"]) func ffmpegTakesAForwardedStream(transport: String) async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            let url = "rtsp://127.0.0.1:\(try LoopbackSocket.freePort())/yard"
            try folder.write(
                "paths: { cam: { source: \(file), forward: { url: \"\(url)\", transport: \(transport) } } }",
                to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { origin in
                let taken = try await Command.run(
                    [
                        "ffmpeg", "-nostdin", "-v", "error", "-rtsp_flags", "listen", "-i", url, "-map", "0:v", "-c",
                        "copy",
                        "-t", "4", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-",
                    ], within: 40)
                #expect(taken.status == 0, "\(taken.diagnostics)\n\(origin.log)")
                try original.expectVideo(h264: taken.output)
            }
        }

        /// gst-rtsp-server, from C by Python's ctypes, because Debian's bindings are in a package of their own: PORT LAUNCH.
        private static let gstreamerServer = """
            import ctypes, sys
            P = ctypes.c_void_p
            gst, glib = ctypes.CDLL("libgstreamer-1.0.so.0"), ctypes.CDLL("libglib-2.0.so.0")
            rtsp = ctypes.CDLL("libgstrtspserver-1.0.so.0")
            if len(sys.argv) < 3: sys.exit(0)
            for name in ("server_new", "server_get_mount_points", "media_factory_new"):
                getattr(rtsp, "gst_rtsp_" + name).restype = P
            glib.g_main_loop_new.restype = P
            gst.gst_init(None, None)
            server, factory = P(rtsp.gst_rtsp_server_new()), P(rtsp.gst_rtsp_media_factory_new())
            rtsp.gst_rtsp_server_set_address(server, b"127.0.0.1")
            rtsp.gst_rtsp_server_set_service(server, sys.argv[1].encode())
            rtsp.gst_rtsp_media_factory_set_launch(factory, sys.argv[2].encode())
            rtsp.gst_rtsp_media_factory_set_transport_mode(factory, 2)  # GST_RTSP_TRANSPORT_MODE_RECORD
            points = P(rtsp.gst_rtsp_server_get_mount_points(server))
            rtsp.gst_rtsp_mount_points_add_factory(points, b"/yard", factory)
            rtsp.gst_rtsp_server_attach(server, None)
            print("listening", flush=True)
            glib.g_main_loop_run(P(glib.g_main_loop_new(None, 0)))
            """

        @Test(arguments: ["tcp", "udp"]) func gstreamerRecordsAForwardedStream(transport: String) async throws {
            let probe = try? await Command.run(["python3", "-c", Self.gstreamerServer])
            // Without Python or GStreamer's server, the test is skipped.
            guard probe?.status == 0 else { return }
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort()
            let recording = folder.file("recording.h264")
            let launch =
                "( rtph264depay name=depay0 ! video/x-h264,stream-format=byte-stream,alignment=nal "
                + "! filesink buffer-mode=unbuffered location=\(recording) rtpmp4gdepay name=depay1 ! fakesink )"
            let server = try Command(["python3", "-c", Self.gstreamerServer, "\(port)", launch], in: "/")
            defer { server.signal(SIGKILL) }
            #expect(await eventually(within: 20) { server.outputByteCount > 0 })
            try folder.write(
                """
                paths: { cam: { source: \(file), forward: { url: "rtsp://127.0.0.1:\(port)/yard", transport: \(transport) } } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { origin in
                #expect(await origin.logs("the server takes the stream", within: 15), "\(server.errors)")
                let isRecorded = await eventually(within: 20) {
                    (try? FileManager.default.attributesOfItem(atPath: recording)[.size] as? Int) ?? 0 > 200_000
                }
                #expect(isRecorded, "\(origin.log)\n\(server.errors)")
                #expect(!origin.log.contains("retryMilliseconds"))
            }
            try original.expectVideo(h264: Array(Data(contentsOf: URL(filePath: recording))))
        }

        /// The other server is killed and started again; the forward goes on by itself.
        @Test(arguments: ["tcp", "udp"]) func aForwardComesBack(transport: String) async throws {
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort()
            try folder.write("access: { loopback: publish }\npaths: { copy: { source: publish } }\n", to: "other.yml")
            let serving = [
                try ServerProcess.binary(), "serve", "--http-port", "0", "--port", "\(port)", "--config",
                folder.file("other.yml"),
            ]
            try folder.write(
                """
                paths:
                  cam:
                    source: \(try await Clip.plain.path())
                    forward: { url: "rtsp://127.0.0.1:\(port)/copy", transport: \(transport) }
                """, to: "apus.yml")
            let first = try Command(serving, in: "/")
            try await withServer("--config", folder.file("apus.yml")) { origin in
                #expect(await origin.logs("the server takes the stream", within: 15))
                first.signal(SIGKILL)
                #expect(await origin.logs("retryMilliseconds"))
                let second = try Command(serving, in: "/")
                defer { second.signal(SIGTERM) }
                let isBack = await eventually(within: 20) {
                    origin.log.ranges(of: "the server takes the stream").count == 2
                }
                #expect(isBack, "\(origin.log)")
                try await Client.ffmpeg.watch("rtsp://127.0.0.1:\(port)/copy", over: "tcp", log: second.errors)
            }
        }

        /// Entries are added and removed while the server runs. An on-demand source runs as long as there is one.
        @Test func forwardsChangeWhileTheServerRuns() async throws {
            let folder = try TemporaryFolder()
            try folder.write("access: { loopback: publish }\npaths: { copy: { source: publish } }\n", to: "other.yml")
            try await withServer("--config", folder.file("other.yml")) { destination in
                try folder.write(
                    "paths: { cam: { source: \(try await Clip.plain.path()), onDemand: true, onDemandCloseSeconds: 0 } }",
                    to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    func status() async throws -> String {
                        try await Command.run([
                            ServerProcess.binary(), "status", "--json", "--port", "\(origin.port)",
                        ]).text
                    }
                    #expect(try await eventually(within: 5) { try await status().contains("sleeping") })
                    func set(_ assignment: String) async throws -> Command.Outcome {
                        try await Command.run([
                            ServerProcess.binary(), "set", "cam", assignment, "--port", "\(origin.port)",
                        ])
                    }
                    let outcome = try await set("forward=\(destination.url("copy"))")
                    #expect(outcome.text.contains("paths.cam.forward: changed"), "\(outcome.diagnostics)")
                    // The forward needs the source as a viewer does.
                    #expect(try await destination.isServing("copy"))
                    #expect(try await status().contains("\"state\" : \"forwarding\""))
                    _ = try await set("forward=[]")
                    #expect(try await eventually(within: 5) { try await status().contains("sleeping") })
                    #expect(await destination.logs("the client sent TEARDOWN"))
                    let refused = try await set("forward=http://ann:sesame@127.0.0.1/x")
                    #expect(refused.status != 0 && refused.errors.contains("cannot forward to http://"))
                }
            }
        }

        /// A path that a publisher has created is forwarded under its own name, as long as it is published.
        @Test func thePathsOfAPatternAreForwarded() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            try folder.write(
                "access: { loopback: publish }\npaths: { 'copy/*': { source: publish } }\n", to: "other.yml")
            try await withServer("--config", folder.file("other.yml")) { destination in
                try folder.write(
                    """
                    access: { loopback: publish }
                    paths:
                      "live/*": { source: publish, forward: "\(destination.url("copy/*"))" }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    let publisher = try Command(
                        [
                            "ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy",
                            "-rtsp_transport", "tcp", "-f", "rtsp", origin.url("live/a/b"),
                        ], in: "/")
                    #expect(await destination.logs("path=/copy/a/b", within: 15), "\(origin.log)")
                    #expect(try await destination.isServing("copy/a/b"))
                    publisher.signal(SIGKILL)
                    #expect(
                        await destination.logs("the client sent TEARDOWN", within: 15),
                        "\(origin.log)\n\(destination.log)\n\(publisher.errors)")
                }
            }
        }
    }
}
