import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// HTTP/2 inside TLS, with real clients, and attacks while a viewer watches.
    @Suite(.serialized, .sharesMachine)
    struct HTTP2 {
        /// A server that the clients of a test know by its URL and its port for TLS.
        private struct Secure {
            let server: ServerProcess
            let url: String
            let port: Int
            let folder: TemporaryFolder

            func curl(_ arguments: String..., path: String) async throws -> Command.Outcome {
                try await Command.run(
                    ["curl", "-skS", "--http2", "--fail-with-body"] + arguments + ["\(url)\(path)"], within: 20)
            }
        }

        private func withHTTP2(_ options: String = "", _ body: (Secure) async throws -> Void) async throws {
            let folder = try await TemporaryFolder.withCertificate()
            let rtsps = try LoopbackSocket.freePort()
            var https = rtsps
            while https == rtsps { https = try LoopbackSocket.freePort() }
            try folder.write(
                """
                tls: { encryption: optional, port: \(rtsps), \(folder.certificateOptions) }
                http: { tlsPort: \(https) }
                \(options)
                paths: { cam: { source: testcard } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                try #require(try await server.isServing())
                try await body(
                    Secure(server: server, url: "https://127.0.0.1:\(https)", port: https, folder: folder))
            }
        }

        @Test(.enabled(if: Command.exists("curl"), "needs curl")) func curlGetsEverythingByHTTP2() async throws {
            try await withHTTP2 { secure in
                for path in ["/", "/cam/", "/healthz", "/api/v1/streams", "/api/v1/session", "/cam.jpg"] {
                    let answer = try await secure.curl(
                        "-o", "/dev/null", "-w", "%{http_version} %{http_code}", path: path)
                    #expect(answer.text == "2 200", "\(path): \(answer.text) \(answer.diagnostics)")
                }
                let plain = try await Command.run(
                    ["curl", "-sS", "--http2", "-o", "/dev/null", "-w", "%{http_version}"]
                        + ["http://127.0.0.1:\(secure.server.httpPort)/healthz"], within: 20)
                #expect(plain.text == "1.1", "HTTP/2 is inside TLS only")
                // Two endless files on one connection.
                let files = ["one.mp4", "two.mp4"].map { secure.folder.file($0) }
                let file = "\(secure.url)/cam/index.mp4?duration=2"
                let both = try await Command.run(
                    ["curl", "-skS", "--http2", "-Z", "-o", files[0], file, "-o", files[1], file], within: 20)
                #expect(both.status == 0, "\(both.diagnostics)")
                for file in files { #expect(try await frameCount(of: file) > 40) }
            }
        }

        @Test(.enabled(if: Command.exists("h2load"), "needs h2load")) func thousandsOfRequestsAreAnswered() async throws
        {
            try await withHTTP2 { secure in
                let load = try await Command.run(
                    ["h2load", "-n", "5000", "-c", "5", "-m", "50", "\(secure.url)/healthz", "\(secure.url)/"],
                    within: 60)
                #expect(load.text.contains("status codes: 5000 2xx"), "\(load.text)\(load.diagnostics)")
            }
        }

        /// Playlists that are waited for, and then the parts, all at the same time on one connection.
        @Test(.enabled(if: Command.exists("curl") && Command.exists("h2load"), "needs curl and h2load"))
        func lowLatencyPlaysOverOneConnection() async throws {
            try await withHTTP2 { secure in
                let list = try await secure.curl(path: "/cam/index.m3u8").text
                let uri = try #require(list.split(separator: "\n").first { !$0.hasPrefix("#") }, "\(list)")
                let folder = "\(secure.url)/cam/\(uri.prefix { $0 != "/" })"
                func ask(_ names: [String]) async throws -> (lines: [[String]], files: [String]) {
                    let files = names.indices.map { secure.folder.file("\($0)") }
                    let format = "%{http_version} %{http_code} %{num_connects} %{time_total}\n"
                    let targets = zip(names, files).flatMap { ["-o", $1, "\(folder)/\($0)"] }
                    let outcome = try await Command.run(
                        ["curl", "-skS", "--http2", "-Z", "-w", format] + targets, within: 20)
                    return (
                        outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }, files
                    )
                }
                func reloads() async throws -> (run: String, segment: Int, names: [String]) {
                    let playlist = try await Command.run(
                        ["curl", "-skS", "--http2", "\(folder)/all-0.m3u8"], within: 20)
                    let hint = try #require(
                        playlist.text.firstMatch(of: /PRELOAD-HINT:TYPE=PART,URI="(\w+)-(\d+)-/), "\(playlist.text)")
                    let segment = (Int(hint.2) ?? 0) + 1
                    return (
                        String(hint.1), segment, (0..<4).map { "all-0.m3u8?_HLS_msn=\(segment)&_HLS_part=\($0)" }
                    )
                }
                let asked = try await reloads()
                let waited = try await ask(asked.names).lines
                #expect(waited.count == 4 && waited.allSatisfy { $0.starts(with: ["2", "200"]) }, "\(waited)")
                #expect(waited.count { $0[2] == "1" } == 1, "one connection")
                let seconds = waited.compactMap { Double($0[3]) }.sorted()
                #expect(seconds.last.map { $0 - seconds[0] > 0.2 } == true, "each waits for its part: \(seconds)")
                let names = ["\(asked.run)-init1.mp4"] + (0..<4).map { "\(asked.run)-\(asked.segment)-\($0).mp4" }
                let (parts, files) = try await ask(names)
                #expect(parts.allSatisfy { $0.starts(with: ["2", "200"]) }, "\(parts)")
                #expect(parts.count { $0[2] == "1" } == 1, "one connection")
                let media = files.reduce(into: Data()) { $0 += FileManager.default.contents(atPath: $1) ?? Data() }
                try media.write(to: URL(fileURLWithPath: secure.folder.file("parts.mp4")))
                #expect(try await frameCount(of: secure.folder.file("parts.mp4")) >= 16)
                let load = try await Command.run(
                    ["h2load", "-n", "80", "-c", "2", "-m", "40"]
                        + (try await reloads().names.map { "\(folder)/\($0)" }),
                    within: 20)
                #expect(load.text.contains("status codes: 80 2xx"), "\(load.text)\(load.diagnostics)")
            }
        }

        /// A viewer of another connection misses no frame while one attack after the other goes on. The first round may take
        /// memory for what a young server had not needed yet; the second round takes no more.
        @Test(.enabled(if: Command.exists("curl"), "needs curl")) func attacksCostNoFrame() async throws {
            try await withHTTP2 { secure in
                let file = secure.folder.file("watched.mp4")
                let viewer = try Command(
                    ["curl", "-skN", "--http2", "-o", file, "\(secure.url)/cam/index.mp4"], in: "/")
                try #require(await eventually(within: 10) { secure.folder.bytes("watched.mp4").count > 50_000 })
                var memory = [residentKilobytes(of: secure.server)]
                for _ in 0..<2 {
                    for attack in HTTP2Attack.all {
                        let end = ContinuousClock.now + .milliseconds(500)
                        repeat { try attack.run(port: secure.port) } while .now < end
                        let size = secure.folder.byteCount("watched.mp4")
                        #expect(
                            await eventually(within: 5) { secure.folder.byteCount("watched.mp4") > size },
                            "\(attack.name)")
                    }
                    memory.append(residentKilobytes(of: secure.server))
                }
                #expect(memory[1] < memory[0] + 65_536, "KB: \(memory)")
                #expect(
                    await eventually(within: 10) { residentKilobytes(of: secure.server) < memory[1] + 8_192 },
                    "KB: \(memory)")
                let viewers = try await secure.curl(path: "/api/v1/viewers?path=/cam")
                #expect(viewers.text.contains("\"client\":\"curl"), "\(viewers.text)")
                #expect(!viewers.text.contains(/"droppedUnits":[1-9]/), "\(viewers.text)")
                viewer.signal(SIGTERM)
                _ = await viewer.finish(within: 5)
                #expect(try await frameCount(of: file) > 15 * HTTP2Attack.all.count)
                #expect(secure.server.command.isRunning)
            }
        }

        private func frameCount(of file: String) async throws -> Int {
            try await Command.run(
                ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=dts_time"]
                    + ["-of", "csv=p=0", file], within: 30
            ).text.split(separator: "\n").count
        }

        private func residentKilobytes(of server: ServerProcess) -> Int {
            let status = try? String(contentsOfFile: "/proc/\(server.command.processID)/status", encoding: .utf8)
            return status?.firstMatch(of: /VmRSS:\s*(\d+)/).flatMap { Int($0.1) } ?? 0
        }
    }
}

/// An attack that a client sends as fast as the server takes it.
private struct HTTP2Attack: Sendable {
    let name: String
    var settings: [(UInt16, UInt32)] = []
    /// The frames, of which those of a stream are for this one.
    let frames: @Sendable (UInt32) -> [UInt8]
    var count = 2_000

    /// Runs it on four connections, one after the other.
    func run(port: Int) throws {
        for _ in 0..<4 {
            let client = try HTTP2Client(port: port, settings: settings)
            client.extendsWindows = false
            var bytes: [UInt8] = []
            for index in 0..<count {
                bytes += frames(UInt32(2 * index + 1))
                guard bytes.count > 16_384 || index == count - 1 else { continue }
                client.send(bytes)
                bytes = []
                guard client.receive(within: 0) || !client.isClosed else { break }
            }
            while client.goodbye == nil, client.receive(within: 0.05) {}
        }
    }

    private static func get(_ path: String, on stream: UInt32) -> [UInt8] {
        HTTP2Client.frame(.headers, flags: 5, on: stream, HTTP2Client.block(HTTP2Client.request(path)))
    }

    static let all: [Self] = [
        Self(name: "rapid reset") { get("/healthz", on: $0) + HTTP2Client.frame(.reset, on: $0, HTTP2Client.bytes(8)) },
        Self(name: "10 000 streams", settings: [(4, 0)], frames: { get("/cam.jpg", on: $0) }, count: 10_000),
        Self(name: "continuations") { stream in
            stream == 1
                ? HTTP2Client.frame(.headers, on: 1, HTTP2Client.block(HTTP2Client.request("/")))
                : HTTP2Client.frame(.continuation, on: 1)
        },
        Self(name: "pings") { _ in HTTP2Client.frame(.ping, [UInt8](repeating: 0, count: 8)) },
        Self(name: "settings") { _ in HTTP2Client.settings([(4, 65_535)]) },
        Self(name: "priorities") { HTTP2Client.frame(.priority, on: $0, [0, 0, 0, 0, 1]) },
        Self(
            name: "window updates", frames: { _ in HTTP2Client.frame(.windowUpdate, HTTP2Client.bytes(1)) },
            count: 50_000),
        Self(name: "unknown frames", frames: { _ in HTTP2Client.frame(0x99, on: 1) }, count: 50_000),
        Self(name: "files that are not read", settings: [(4, 0)], frames: { get("/cam/index.mp4", on: $0) }, count: 90),
    ]
}
