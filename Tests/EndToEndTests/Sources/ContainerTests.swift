import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Containers from a pipe and from a URL that FFmpeg opens.
    @Suite(.serialized, .sharesMachineForLong)
    struct Container {
        private static func writer(of file: String) -> [String] {
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy"]
        }

        /// Video and audio of viewers equal the file that a program writes to a fifo as MPEG-TS.
        @Test func aTransportStreamInAFifoIsUnchanged() async throws {
            let file = try await Clip.bFrames.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            #expect(mkfifo(folder.file("cam"), 0o600) == 0)
            try await withServer("cam=\(folder.file("cam"))") { server in
                let program = try Command(
                    Self.writer(of: file) + ["-f", "mpegts", "-y", folder.file("cam")], in: "/")
                defer { program.signal(SIGTERM) }
                #expect(try await server.isServing())
                try await original.expectCopy(at: server.url())
            }
        }

        /// The same over HTTP; the password and the query of the URL are not shown. When the program has ended, the source waits for it.
        @Test func aTransportStreamOverHTTPIsUnchanged() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let port = try LoopbackSocket.freePort()
            let serving = Self.writer(of: file) + ["-f", "mpegts", "-listen", "1", "http://127.0.0.1:\(port)/live"]
            let first = try Command(serving, in: "/")
            try await withServer("cam=http://me:secret@127.0.0.1:\(port)/live?pwd=hidden") { server in
                #expect(try await server.isServing())
                try await original.expectCopy(at: server.url())
                first.signal(SIGKILL)
                #expect(await server.logs("Connection refused"))
                let second = try Command(serving, in: "/")
                defer { second.signal(SIGTERM) }
                let outcome = try await Command.run(
                    Client.ffmpeg(server.url(), over: "tcp") + ["-frames:v", "30", "-f", "null", "-"], within: 40)
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                #expect(!server.log.contains("secret") && !server.log.contains("hidden"))
            }
        }

        /// A playlist and its segments from a web server, to which another one redirects.
        @Test func aPlaylistOverHTTPIsUnchanged() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            let made = try await Command.run(
                // Longer than the copy, because FFmpeg cannot return to the start of a playlist: the source would start again.
                ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "4", "-i", file, "-c", "copy", "-f", "hls"]
                    + ["-hls_time", "1"]
                    + ["-hls_playlist_type", "vod", folder.file("index.m3u8")])
            #expect(made.status == 0, "\(made.diagnostics)")
            let home = try WebServer(answering: { request in
                .file(folder.bytes(String(request.path.dropFirst("/vod/".count))), to: request)
            })
            let location = "Location: http://127.0.0.1:\(home.port)/vod/index.m3u8"
            let signpost = try WebServer(answering: { _ in WebServer.Response(302, [location]) })
            defer { for server in [home, signpost] { server.stop() } }
            try await withServer("cam=http://127.0.0.1:\(signpost.port)/index.m3u8") { server in
                #expect(try await server.isServing())
                try await original.expectCopy(at: server.url())
            }
        }

        /// Another host's web server redirects to this host, and its playlist names an address of cloud services.
        @Test(.enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
        func anotherHostDoesNotChooseLocalAddresses() async throws {
            let pair = NetworkPair()
            try await pair.create()
            let folder = try TemporaryFolder()
            try folder.write(
                """
                import http.server, sys
                PLAYLIST = b"#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\nhttp://169.254.169.254/a.ts\\n#EXT-X-ENDLIST\\n"
                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        print(self.path, flush=True)
                        self.send_response(200 if self.path == "/list.m3u8" else 302)
                        if self.path != "/list.m3u8": self.send_header("Location", "http://127.0.0.1:8080/" + sys.argv[1])
                        self.end_headers()
                        if self.path == "/list.m3u8": self.wfile.write(PLAYLIST)
                http.server.ThreadingHTTPServer(("0.0.0.0", 8080), Handler).serve_forever()
                """, to: "server.py")
            try folder.write(
                """
                server: { address: 127.0.0.1, port: 8554 }
                paths:
                  moved: { source: "http://10.77.0.1:8080/moved" }
                  listed: { source: "http://10.77.0.1:8080/list.m3u8" }
                """, to: "apus.yml")
            let python = ["python3", folder.file("server.py")]
            let elsewhere = try Command(pair.onServer + python + ["inner"], in: "/")
            let inner = try Command(pair.onClient + python + ["further"], in: "/")
            let serving = [try ServerProcess.binary(), "serve", "--config", folder.file("apus.yml")]
            let server = try Command(pair.onClient + ["env", "STATE_DIRECTORY=\(folder.path)"] + serving, in: "/")
            defer { for process in [elsewhere, inner, server] { process.signal(SIGKILL) } }
            let text = "are not permitted"
            #expect(await eventually(within: 20) { server.errors.ranges(of: text).count >= 2 }, "\(server.errors)")
            #expect(elsewhere.output.count > 0 && inner.output.isEmpty, "the services of this host got no request")
            for process in [elsewhere, inner, server] {
                process.signal(SIGKILL)
                _ = await process.finish(within: 5)
            }
            await pair.remove()
        }
    }
}
