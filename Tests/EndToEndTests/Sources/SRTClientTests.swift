import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Apus as a caller of SRT servers: of another Apus, and of srt-live-transmit.
    @Suite(.serialized, .sharesMachineForLong)
    struct SRTClients {
        private static let passphrase = "a long secret"

        /// What comes back from another server by SRT equals the file: from `cam` to the other's encrypted `yard`, and from there to `back`.
        @Test(arguments: [Clip.plain, .bFrames])
        func aStreamIsUnchangedOnItsWayThere(_ clip: Clip) async throws {
            let original = try await CopiedMedia(of: clip.path())
            let folder = try TemporaryFolder()
            try folder.write(
                """
                users:
                  ann: { password: sesame, publish: ["*"], read: ["*"] }
                paths: { yard: { source: publish, srt: { passphrase: "\(Self.passphrase)", keyLength: aes256 } } }
                """, to: "other.yml")
            let secret = "passphrase=\(Self.passphrase.replacing(" ", with: "%20"))"
            try await withServer("--config", folder.file("other.yml"), hasSRT: true) { other in
                let url = "srt://127.0.0.1:\(other.srtPort)?\(secret)"
                try folder.write(
                    """
                    paths:
                      cam:
                        source: \(try await clip.path())
                        forward: "\(url)&streamid=publish:yard:ann:sesame&pbkeylen=32"
                      back: { source: "\(url)&streamid=read:yard:ann:sesame" }
                    """, to: "apus.yml")
                try await withServer("--config", folder.file("apus.yml")) { origin in
                    #expect(await other.logs("transport=\"SRT, encrypted\""), "\(origin.log) \(other.log)")
                    #expect(try await origin.isServing("back"), "\(origin.log)")
                    try await original.expectCopy(at: origin.url("back"))
                    let status = try await Command.run([ServerProcess.binary(), "status", "--port", "\(origin.port)"])
                    #expect(status.text.contains("srt://127.0.0.1:\(other.srtPort)"), "\(status.text)")
                    for text in [status.text, origin.log, origin.notice, other.log] {
                        #expect(!text.contains("sesame") && !text.contains(Self.passphrase))
                    }
                }
                #expect(await other.logs("publisher left"))
            }
        }

        /// The stream of a listener that is no Apus, and one that is sent to such a listener.
        @Test func srtLiveTransmitGivesAndTakes() async throws {
            let file = try await Clip.plain.path()
            let original = try await CopiedMedia(of: file)
            let folder = try TemporaryFolder()
            let (port, relayed) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            try folder.write(
                """
                paths:
                  cam: { source: \(file), forward: "srt://127.0.0.1:\(port)" }
                  back: { source: "srt://127.0.0.1:\(relayed)" }
                """, to: "apus.yml")
            let relay = try Command(
                ["srt-live-transmit", "-q", "srt://127.0.0.1:\(port)?mode=listener"]
                    + ["srt://127.0.0.1:\(relayed)?mode=listener"], in: "/")
            defer { relay.signal(SIGKILL) }
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing("back"), "\(relay.errors) \(server.log)")
                try await original.expectCopy(at: server.url("back"), seconds: 3)
            }
        }

        /// The server goes, and is back.
        @Test func viewersOfAPulledStreamStayWhileItsServerIsAway() async throws {
            let file = try await Clip.plain.path()
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort()
            try folder.write("paths: { copy: { source: \"srt://127.0.0.1:\(port)?streamid=cam\" } }", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { edge in
                try await withServer("--srt-port", "\(port)", file) { _ in
                    let isServing = try await edge.isServing("copy")
                    #expect(isServing, "\(edge.log)")
                }
                #expect(await edge.logs("srt://127.0.0.1:\(port): "), "\(edge.log)")
                let viewer = try Command(
                    Client.ffmpeg(edge.url("copy"), over: "tcp")
                        + ["-map", "0:v", "-c", "copy", "-frames:v", "100", "-f", "null", "-"], in: "/")
                defer { viewer.signal(SIGKILL) }
                try await withServer("--srt-port", "\(port)", file) { _ in
                    let outcome = await viewer.finish(within: 40)
                    #expect(outcome.status == 0, "\(outcome.diagnostics) \(edge.log)")
                }
            }
        }
    }
}
