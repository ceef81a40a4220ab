import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests `access.httpCallback` with a web server that decides, answers nonsense, or does not answer.
    @Suite(.serialized, .sharesMachine, .enabled(if: Command.exists("python3"), "needs Python"))
    struct Callback {
        /// Admits ann, never answers for the path `slow`, answers nonsense for `garbage`, and prints each request.
        private static let script = """
            import http.server, json, sys, time

            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def do_POST(self):
                    question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                    print(json.dumps(question), flush=True)
                    if question["path"] == "slow":
                        time.sleep(30)
                    if question["path"] == "garbage":
                        self.wfile.write(bytes(300))
                        self.close_connection = True
                        return
                    right = question["user"] == "ann" and question["password"] == "sesame"
                    self.send_response(204 if right else 401)
                    self.send_header("Content-Length", "0")
                    self.end_headers()

                def log_message(self, *arguments):
                    pass

            class Server(http.server.ThreadingHTTPServer):
                daemon_threads = True

            Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

            """

        /// Starts a server that asks the web server, over HTTP or HTTPS.
        private func withCallback(
            _ body: (ServerProcess, _ tlsPort: Int, _ web: Command) async throws -> Void
        ) async throws {
            let folder = try await TemporaryFolder.withCertificate()
            try folder.write(Self.script, to: "web.py")
            let (webPort, tlsPort) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            let web = try Command(["python3", folder.file("web.py"), "\(webPort)"])
            defer { web.signal(SIGKILL) }
            #expect(await eventually(within: 10) { (try? LoopbackSocket(port: webPort)) != nil }, "\(web.errors)")
            try folder.write(
                """
                tls: { encryption: optional, port: \(tlsPort), \(folder.certificateOptions) }
                access: { httpCallback: "http://apus:hidden@127.0.0.1:\(webPort)/auth", httpCallbackMilliseconds: 1500, \
                httpCallbackExcept: [lobby], wrongPasswordMilliseconds: 0 }
                paths:
                  cam: { source: testcard }
                  lobby: { source: testcard }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                try await body(server, tlsPort, web)
            }
        }

        @Test func theCallbackAdmitsOnlyKnownUsers() async throws {
            try await withCallback { server, tlsPort, web in
                #expect(server.notice.contains("the web server of access.httpCallback decides which clients may watch"))
                try await Client.ffmpeg.watch(
                    "rtsps://ann:sesame@127.0.0.1:\(tlsPort)/cam?day=1", over: "tcp", log: server.log)
                let asked = String(decoding: web.output, as: UTF8.self)
                #expect(
                    asked.contains("\"action\": \"read\"") && asked.contains("\"path\": \"cam\"")
                        && asked.contains("\"protocol\": \"rtsps\"") && asked.contains("\"query\": \"day=1\"")
                        && asked.contains("\"ip\": \"127.0.0.1\"") && asked.contains("\"userAgent\": \"Lavf")
                        && asked.contains("\"token\": \"\"") && asked.contains("\"id\": \""), "\(asked)")
                let wrong = try await Command.run(
                    Client.ffmpeg("rtsps://ann:wrong@127.0.0.1:\(tlsPort)/cam", over: "tcp") + ["-f", "null", "-"])
                #expect(wrong.status != 0 && wrong.errors.contains("401"), "\(wrong.diagnostics)")
                let plain = try RTSPSocket(port: server.port)
                #expect(try plain.request("DESCRIBE", server.url()).status == 403)
                #expect(try plain.request("DESCRIBE", server.url("lobby")).status == 200)
                #expect(!server.log.contains("sesame"))
            }
        }

        @Test func anUnansweredCallbackDelaysNoOtherClient() async throws {
            try await withCallback { server, _, web in
                let garbage = try RTSPSocket(port: server.port)
                #expect(try garbage.request("DESCRIBE", server.url("garbage")).status == 503)
                let slow = try (0..<100).map { _ in
                    let client = try RTSPSocket(port: server.port)
                    client.send("DESCRIBE \(server.url("slow")) RTSP/1.0\r\nCSeq: 1\r\n\r\n")
                    return client
                }
                let start = ContinuousClock.now
                try await Client.ffmpeg.watch(server.url("lobby"), over: "udp", log: server.log)
                #expect(slow.allSatisfy { $0.response(within: 10)?.status == 503 })
                #expect(ContinuousClock.now - start < .seconds(12))
                #expect(await server.logs("access.httpCallback gives no decision"))
                #expect(!server.log.contains("hidden"))
                web.signal(SIGKILL)
                #expect(try garbage.request("DESCRIBE", server.url()).status == 503)
            }
        }
    }
}
