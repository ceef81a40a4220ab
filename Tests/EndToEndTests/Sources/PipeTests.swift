import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests H.264 through a fifo or standard input.
    @Suite(.serialized, .sharesMachine)
    struct Pipe {
        @Test func standardInputIsServedAtItsOwnPace() async throws {
            let folder = try TemporaryFolder()
            let stream = try await annexB(of: .plain)
            try Data(stream).write(to: URL(filePath: folder.file("film.264")))
            try await withServer("-", input: folder.file("film.264")) { server in
                #expect(try await server.isServing())
                let outcome = try await Command.run(
                    Client.ffmpeg(server.url(), over: "tcp", options: ["-xerror"])
                        + ["-frames:v", "60", "-f", "null", "-"])
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
            }
        }

        @Test func generatedStreamsArePipedUnchanged() async throws {
            try await expectIdentity(of: [("plain", annexB(of: .plain)), ("B frames", annexB(of: .bFrames))])
        }

        /// Only the first 300 frames of each, because some streams last a minute.
        @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
        func conformanceStreamsArePipedUnchanged() async throws {
            try await expectIdentity(
                of: SharedData.files(in: "h264").compactMap { file in
                    SharedData.bytes(file).map { (file, AnnexB.beginning(of: $0, pictureCount: 300)) }
                })
        }

        private func annexB(of clip: Clip) async throws -> [UInt8] {
            try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", clip.path(), "-map", "0:v", "-c", "copy"]
                    + ["-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"], within: 20
            ).output
        }

        /// Feeds each stream through a fifo to a path of one server. Streams with an IDR frame must arrive complete from one on.
        private func expectIdentity(of streams: [(name: String, bytes: [UInt8])]) async throws {
            let folder = try TemporaryFolder()
            var pipes: [PipedStream] = []
            for (index, stream) in streams.enumerated() {
                try pipes.append(PipedStream(name: stream.name, path: "s\(index)", bytes: stream.bytes, in: folder))
            }
            let server = try await ServerProcess.start(pipes.map { "\($0.path)=\($0.fifo)" })
            for index in pipes.indices { try await pipes[index].play(from: server) }
            // Calls isQuiet for every pipe each time, because it compares with the previous call.
            #expect(await eventually(within: 100) { pipes.indices.filter { !pipes[$0].isQuiet() }.isEmpty })
            // ffmpeg outputs its last frame at the end of the stream.
            await server.stop()
            for pipe in pipes { await pipe.expectIdentity(log: server.log) }
        }
    }
}

/// One stream under test: its file, the fifo into which it is written, and the ffmpeg that copies it from the server.
private struct PipedStream {
    let name: String
    let path: String
    let fifo: String
    private let file: String
    /// The NAL units without parameter sets.
    private let original: [[UInt8]]
    private var writer: Command?
    private var copier: Command?
    private var progress = (byteCount: 0, since: ContinuousClock.now)

    init(name: String, path: String, bytes: [UInt8], in folder: TemporaryFolder) throws {
        self.name = name
        self.path = path
        fifo = folder.file("\(path).fifo")
        file = folder.file("\(path).264")
        original = AnnexB.withoutParameterSets(AnnexB.units(of: bytes))
        hasIDR = original.contains { AnnexB.type(of: $0) == 5 }
        try Data(bytes).write(to: URL(filePath: file))
        guard mkfifo(fifo, 0o600) == 0 else { throw Command.Failure.cannotStart("mkfifo \(fifo): \(errno)") }
    }

    private let hasIDR: Bool

    /// Writes the stream into the fifo and copies it from the server.
    mutating func play(from server: ServerProcess) async throws {
        writer = try Command(["sh", "-c", "cat \"$0\" > \"$1\"", file, fifo])
        // Some streams never contain the parameter sets that a description needs.
        _ = try await server.isServing(path, within: 2)
        copier = try Command(
            Client.ffmpeg(server.url(path), over: "tcp", options: ["-analyzeduration", "100000"])
                + ["-map", "0:v", "-c", "copy", "-flush_packets", "1", "-f", "h264", "-"])
        progress.since = ContinuousClock.now
    }

    private var copied: [[UInt8]] { AnnexB.withoutParameterSets(AnnexB.units(of: copier?.output ?? [])) }

    /// Whether all was written and no output came for two seconds, the time of sixty frames. ffmpeg may output a short stream
    /// only at its end.
    mutating func isQuiet() -> Bool {
        guard let copier, copier.isRunning else { return true }
        let byteCount = copier.outputByteCount
        if writer?.isRunning == true || byteCount != progress.byteCount {
            progress = (byteCount, ContinuousClock.now)
        }
        return ContinuousClock.now - progress.since > .seconds(byteCount == 0 && hasIDR ? 8 : 2)
    }

    /// Expects the copy to be the end of the original, beginning with an IDR frame.
    func expectIdentity(log: String) async {
        guard let copier else { return }
        let outcome = await copier.finish(within: 10)
        // Without an IDR frame, the server only has to serve the stream and not to crash.
        guard hasIDR else { return }
        let copied = copied
        #expect(!copied.isEmpty, "\(name): \(outcome.diagnostics)")
        #expect(copied.prefix(20).contains { AnnexB.type(of: $0) == 5 }, "\(name): begins without an IDR frame")
        let isEnd = copied.count <= original.count && original.suffix(copied.count).elementsEqual(copied)
        #expect(isEnd, "\(name): \(account(of: copied)) \(events(in: log))")
    }

    /// Describes where the copy differs from the original.
    private func account(of copied: [[UInt8]]) -> String {
        guard let start = copied.first.flatMap({ original.firstIndex(of: $0) }) else { return "never agrees" }
        let agreeing = zip(copied, original[start...]).prefix { $0 == $1 }.count
        return "\(copied.count) units agree from \(start) to \(start + agreeing) of \(original.count)"
    }

    private func events(in log: String) -> String {
        log.split(separator: "\n").filter { $0.contains("path=/\(path) ") }.joined(separator: "\n")
    }
}
