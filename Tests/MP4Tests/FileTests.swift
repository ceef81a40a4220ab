import Foundation
import Media
import Muxing
import TestSupport
import Testing

@testable import MP4

/// FFmpeg reads our files without warnings and finds the media of the source file.
@Suite(.enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe"), "needs ffmpeg and ffprobe"))
struct FileTests {
    @Test(arguments: [Clip.plain, .bFrames, .h265, .opus])
    func ffmpegReadsTheSameMediaFromTheFileAsFromTheClip(clip: Clip) async throws {
        let film = try Film(await clip.path())
        var packager = MP4Packager<[UInt8]>(tracks: film.tracks, options: .inBand)
        let head = try #require(packager.head)
        print(head.contentType)
        let bytes = head.bytes + film.units.compactMap { packager.package($0)?.bytes }.joined()
        try Data(bytes).write(to: URL(filePath: "/tmp/mp4-\(clip.rawValue).mp4"))
    }
}
