import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Containers from a pipe and from a URL that FFmpeg opens.
    @Suite(.serialized, .sharesMachine)
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
    }
}
