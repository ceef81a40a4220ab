import Foundation
import Media
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Containers in a pipe, which libavformat reads.
@Suite struct PipeContainerTests {
    private static let ffmpeg = "/usr/bin/ffmpeg"

    private struct Outcome {
        var tracks: [Track] = []
        var units: [AccessUnit] = []
        var duration: Int64 = 0

        func bytes(_ kind: Codec.Kind) -> Int {
            units.filter { tracks[$0.track.index].kind == kind }.reduce(0) { $0 + $1.bytes.count }
        }
    }

    /// What a source makes of these bytes, in virtual time.
    private static func play(_ bytes: Data, audio: Bool = true) throws -> Outcome {
        let pipe = Pipe()
        let clock = VirtualClock().clock
        var settings = EncodingSettings()
        if !audio { settings.audio = nil }
        let source = PipeSource(
            .descriptor(pipe.fileHandleForReading.fileDescriptor), encoding: settings, clock: clock)
        let writer = pipe.fileHandleForWriting
        Thread.detachNewThread {
            // Fails if the source ends before all has been written.
            try? writer.write(contentsOf: bytes)
            try? writer.close()
        }
        let outcome = Mutex(Outcome())
        let start = clock.now()
        try source.run(
            epoch: MonotonicTime(nanoseconds: 0),
            announce: { tracks in outcome.withLock { $0.tracks = tracks } },
            publish: { unit in outcome.withLock { $0.units.append(unit) } })
        outcome.withLock { $0.duration = clock.now() - start }
        return outcome.withLock(\.self)
    }

    private static func remux(_ clip: Clip, to options: [String]) async throws -> Data {
        let arguments = [ffmpeg, "-nostdin", "-v", "error", "-i", try await clip.path(), "-c", "copy"]
        return Data(try await Command.run(arguments + options + ["-"], within: 30).output)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func videoAndAudioOfContainersArePublished() async throws {
        let inputs: [(Clip, [String], [Codec])] = [
            (.plain, ["-f", "mpegts"], [.h264, .aac]), (.bFrames, ["-f", "matroska"], [.h264, .aac]),
            (.plain, ["-f", "flv"], [.h264, .aac]), (.opus, ["-f", "matroska"], [.h264, .opus]),
            (.h265, ["-f", "mpegts"], [.h265, .aac]), (.h265, ["-an", "-f", "hevc"], [.h265]),
            (.plain, ["-movflags", "frag_keyframe+empty_moov", "-f", "mp4"], [.h264, .aac]),
        ]
        for (clip, options, codecs) in inputs {
            let outcome = try Self.play(try await Self.remux(clip, to: options))
            let what: Comment = "\(clip) \(options)"
            #expect(outcome.tracks.map(\.format.codec) == codecs, what)
            let frames = outcome.units.filter { outcome.tracks[$0.track.index].kind == .video }
            #expect(frames.count == (clip == .plain || clip == .opus ? 180 : 150), what)
            #expect(frames.first?.isKeyframe == true, what)
            for track in outcome.tracks {
                let times = outcome.units.filter { $0.track == track.id }.map(\.decodeTime.ticks)
                #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, what)
            }
            // The last five seconds come at once; the first is waited for.
            #expect((500_000_000...1_500_000_000).contains(outcome.duration), what)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func otherCodecsAreTranscodedAndAudioCanBeLeftOut() async throws {
        let film = try await Self.remux(.needsTranscoding, to: ["-f", "matroska"])
        let outcome = try Self.play(film)
        #expect(outcome.tracks.map(\.format.codec) == [.h264, .aac])
        #expect(outcome.bytes(.video) > 0 && outcome.bytes(.audio) > 0)
        #expect(try Self.play(film, audio: false).tracks.map(\.format.codec) == [.h264])
    }

    /// Audio and video that were captured together keep their distance, though the container stores audio later.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func tracksStayInSync() async throws {
        let outcome = try Self.play(try await Self.remux(.plain, to: ["-muxdelay", "1", "-f", "mpegts"]))
        let firsts = outcome.tracks.compactMap { track in
            outcome.units.first { $0.track == track.id }?.presentationTime.nanoseconds
        }
        let lasts = outcome.tracks.compactMap { track in
            outcome.units.last { $0.track == track.id }?.presentationTime.nanoseconds
        }
        #expect(firsts.count == 2 && abs(firsts[0] - firsts[1]) < 100_000_000)
        #expect(lasts.count == 2 && abs(lasts[0] - lasts[1]) < 100_000_000)
    }

    @Test func whatIsNoContainerAfterAllIsRejected() {
        let failure = #expect(throws: SourceFailure.self) {
            _ = try Self.play(Data([0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0xFF, count: 9_000)))
        }
        #expect(failure?.reason.contains("cannot be read") == true || failure?.reason.contains("holds nothing") == true)
    }
}
