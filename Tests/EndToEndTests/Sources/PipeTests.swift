import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// H.264 through a fifo or standard input.
    @Suite(.serialized, .besideOthers)
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

        @Test func ourOwnStreamsComeOutUnitForUnit() async throws {
            try await expectIdentity(of: [("plain", annexB(of: .plain)), ("B frames", annexB(of: .bFrames))])
        }

        /// Of each the first 300 pictures: some last a minute.
        @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
        func conformanceStreamsComeOutUnitForUnit() async throws {
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

        /// Feeds each stream through a fifo to a path of one server; those with an IDR must arrive whole from one on.
        private func expectIdentity(of streams: [(name: String, bytes: [UInt8])]) async throws {
            let folder = try TemporaryFolder()
            var pipes: [PipedStream] = []
            for (index, stream) in streams.enumerated() {
                try pipes.append(PipedStream(name: stream.name, path: "s\(index)", bytes: stream.bytes, in: folder))
            }
            let server = try await ServerProcess.start(pipes.map { "\($0.path)=\($0.fifo)" })
            for index in pipes.indices { try await pipes[index].play(from: server) }
            // Each is asked every time: what is not asked has not been quiet.
            #expect(await eventually(within: 100) { pipes.indices.filter { !pipes[$0].isQuiet() }.isEmpty })
            // The stream's end makes ffmpeg hand out its last picture.
            await server.stop()
            for pipe in pipes { await pipe.expectIdentity(log: server.log) }
        }
    }
}

/// One stream on its way: a file, the fifo into which it is written, and the ffmpeg that copies what comes out.
private struct PipedStream {
    let name: String
    let path: String
    let fifo: String
    private let file: String
    /// Its units without parameter sets.
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

    /// Written into the fifo, and copied from the server.
    mutating func play(from server: ServerProcess) async throws {
        writer = try Command(["sh", "-c", "cat \"$0\" > \"$1\"", file, fifo])
        // Some never say what they are.
        _ = try await server.isServing(path, within: 2)
        copier = try Command(
            Client.ffmpeg(server.url(path), over: "tcp", options: ["-analyzeduration", "100000"])
                + ["-map", "0:v", "-c", "copy", "-flush_packets", "1", "-f", "h264", "-"])
        progress.since = ContinuousClock.now
    }

    private var copied: [[UInt8]] { AnnexB.withoutParameterSets(AnnexB.units(of: copier?.output ?? [])) }

    /// Whether all was written, and nothing new came out for two seconds: sixty pictures. Of a short stream ffmpeg may hand
    /// out nothing before its end.
    mutating func isQuiet() -> Bool {
        guard let copier, copier.isRunning else { return true }
        let byteCount = copier.outputByteCount
        if writer?.isRunning == true || byteCount != progress.byteCount {
            progress = (byteCount, ContinuousClock.now)
        }
        return ContinuousClock.now - progress.since > .seconds(byteCount == 0 && hasIDR ? 8 : 2)
    }

    /// The copy is the end of the original, from an IDR on.
    func expectIdentity(log: String) async {
        guard let copier else { return }
        let outcome = await copier.finish(within: 10)
        // Without an IDR nothing is owed but that it is served and that nothing traps.
        guard hasIDR else { return }
        let copied = copied
        #expect(!copied.isEmpty, "\(name): \(outcome.diagnostics)")
        #expect(copied.prefix(20).contains { AnnexB.type(of: $0) == 5 }, "\(name): begins without an IDR")
        let isEnd = copied.count <= original.count && original.suffix(copied.count).elementsEqual(copied)
        #expect(isEnd, "\(name): \(account(of: copied)) \(events(in: log))")
    }

    /// Where the copy leaves the original.
    private func account(of copied: [[UInt8]]) -> String {
        guard let start = copied.first.flatMap({ original.firstIndex(of: $0) }) else { return "never agrees" }
        let agreeing = zip(copied, original[start...]).prefix { $0 == $1 }.count
        return "\(copied.count) units agree from \(start) to \(start + agreeing) of \(original.count)"
    }

    private func events(in log: String) -> String {
        log.split(separator: "\n").filter { $0.contains("path=/\(path) ") }.joined(separator: "\n")
    }
}
