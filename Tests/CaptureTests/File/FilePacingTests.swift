import Codecs
import Foundation
import Media
import Muxing
import Streams
import TestSupport
import Testing

@testable import Capture

/// Files with frames 10 µs apart. Matroska rounds times to milliseconds, so there the decode times do not advance.
@Suite struct FilePacingTests {
    private static let ffmpeg = "/usr/bin/ffmpeg"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The times of the first `count` frames sent from the looped file, in milliseconds after the first.
    private func instants(_ name: String, frames: Int, first count: Int) async throws -> [Double] {
        let outcome = try await Command.run(
            [Self.ffmpeg, "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:r=100000"]
                + ["-frames:v", "\(frames)", "-c:v", "libx264", "-bf", "0", folder.file(name)])
        try #require(outcome.status == 0, "\(outcome.diagnostics)")
        let clock = VirtualClock().clock
        let source = FileSource(.file(folder.file(name)), loops: true, clock: clock)
        var instants: [MonotonicTime] = []
        try withoutActuallyEscaping({ (_: AccessUnit) in
            instants.append(clock.now())
            if instants.count == count { source.stop() }
        }) { publish in
            try source.run(epoch: MonotonicTime(nanoseconds: 0), announce: { _ in }, publish: publish)
        }
        return instants.map { Double($0 - instants[0]) / 1_000_000 }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func aFileOfOneFrameLastsTenMilliseconds() async throws {
        #expect(try await instants("video.mp4", frames: 1, first: 5) == [0, 10, 20, 30, 40])
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: ["video.mp4", "video.mkv"])
    func eachFrameLastsAMillisecond(name: String) async throws {
        #expect(try await instants(name, frames: 30, first: 30) == (0..<30).map(Double.init))
    }
}
