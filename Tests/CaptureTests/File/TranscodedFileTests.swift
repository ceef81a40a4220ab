import Codecs
import Foundation
import Media
import Muxing
import Streams
import TestSupport
import Testing

@testable import Capture

@Suite struct TranscodedFileTests {
    private static let ffmpeg = "/usr/bin/ffmpeg"

    /// A file of two seconds with the given codecs, created by ffmpeg.
    private func makeFile(_ name: String, _ codecs: [String]) async throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)-\(name)").path
        let made = try await Command.run(
            [Self.ffmpeg, "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=321x179:r=20:d=2"]
                + ["-f", "lavfi", "-i", "sine=r=44100:d=2"] + codecs + [path])
        try #require(made.status == 0, "\(made.diagnostics)")
        return path
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: [
            (["-pix_fmt", "yuv422p"], "", "H.264 with 4:2:2 and 8 bits"),
            (["-pix_fmt", "yuv420p10le"], "", "H.264 with 4:2:0 and 10 bits"),
            (["-pix_fmt", "yuv422p"], "format=yuv420p", nil),
            (["-pix_fmt", "yuv420p"], "", nil),
        ] as [([String], String, String?)])
    func aFormatThatSomePlayersCannotShowIsReported(
        _ options: [String], _ filters: String, _ warning: String?
    ) async throws {
        let path = try await h264(options)
        defer { unlink(path) }
        try expectWarning(warning, from: path, filters)
    }

    /// Phones that are held upright write such files: the matrix rotates by 90 degrees clockwise.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: [
            ([0, 1, -1, 0], "", "Set effects.rotate to 90"), ([0, -1, 1, 0], "", "Set effects.rotate to 270"),
            ([-1, 0, 0, -1], "blur", "Set effects.rotate to 180"), ([0, 1, -1, 0], "transpose=clock", nil),
            ([1, 0, 0, 1], "", nil),
        ] as [([Int32], String, String?)])
    func aFileThatIsMarkedAsRotatedIsReported(_ matrix: [Int32], _ filters: String, _ warning: String?) async throws {
        let path = try await h264(["-pix_fmt", "yuv420p"])
        defer { unlink(path) }
        var bytes = try Data(contentsOf: URL(filePath: path))
        // Its a, b, u, c, d, in 16.16 bits, lie 44 bytes after the name of the box (ISO/IEC 14496-12, 8.3.2).
        let box = try #require(bytes.range(of: Data("tkhd".utf8)))
        let numbers = [matrix[0], matrix[1], 0, matrix[2], matrix[3]].map { $0 << 16 }
        let big = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        bytes.replaceSubrange((box.lowerBound + 44)..<(box.lowerBound + 64), with: big)
        try bytes.write(to: URL(filePath: path))
        try expectWarning(warning, from: path, filters == "blur" ? "boxblur=2" : filters)
    }

    private func h264(_ options: [String]) async throws -> String {
        try await makeFile(
            "video.mp4", ["-vf", "scale=320:180", "-c:v", "libx264", "-preset", "ultrafast", "-an"] + options)
    }

    private func expectWarning(_ warning: String?, from path: String, _ filters: String) throws {
        let lines = LoggedLines()
        var encoding = EncodingSettings()
        encoding.filters = filters
        let source = FileSource(
            .file(path), loops: false, encoding: encoding, log: lines.log, clock: VirtualClock().clock)
        try source.run(epoch: MonotonicTime(nanoseconds: 0), announce: { _ in }, publish: { _ in })
        let warnings = lines.all.filter { $0.hasPrefix("warning") }
        #expect(warnings.count == (warning == nil ? 0 : 1), "\(warnings)")
        if let warning { #expect(warnings.first?.contains(warning) == true, "\(warnings)") }
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: [
            ("mpeg4.avi", ["-c:v", "mpeg4", "-c:a", "libmp3lame"]),
            ("mjpeg.mkv", ["-c:v", "mjpeg", "-c:a", "pcm_s16le"]),
            ("mpeg2.ts", ["-c:v", "mpeg2video", "-r", "25", "-c:a", "mp2"]),
        ])
    func otherCodecsAreTranscodedAndLoop(name: String, codecs: [String]) async throws {
        let path = try await makeFile(name, codecs)
        defer { unlink(path) }
        let units = try play(path, seconds: 5)
        let video = units.filter { $0.track == TrackID(0) }
        let audio = units.filter { $0.track == TrackID(1) }
        #expect(video.first?.isKeyframe == true)
        #expect((95...130).contains(video.count))
        #expect((220...245).contains(audio.count))
        #expect(zip(video, video.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
        #expect(zip(audio, audio.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: ["h264.ts", "h264.mkv", "h264.flv", "aac.aac"])
    func containersOfAllKindsPassThrough(name: String) async throws {
        let path = try await makeFile(name, name == "aac.aac" ? ["-c:a", "aac"] : ["-c:v", "libx264", "-c:a", "aac"])
        defer { unlink(path) }
        let units = try play(path, seconds: 5)
        let audio = units.filter { $0.units.count == 1 && $0.presentationTime.rate.hertz == 44_100 }
        let steps = zip(audio, audio.dropFirst()).map { $1.decodeTime.ticks - $0.decodeTime.ticks }
        #expect(steps.count > 200 && steps.filter { $0 != 1024 }.count <= 4)
        #expect(steps.allSatisfy { $0 > 0 && $0 < 6000 })
        let video = units.filter { $0.presentationTime.rate == .video }
        if name != "aac.aac" { #expect((95...110).contains(video.count) && video[0].isKeyframe) }
    }

    /// Opus with 20 ms per packet, and G.711 in units of at most 60 ms; the times follow each other without a gap.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: [
            ("opus.mkv", "libopus", "48000", [960]), ("opus.ogg", "libopus", "48000", [960]),
            ("alaw.wav", "pcm_alaw", "8000", Array(1...480)), ("mulaw.mkv", "pcm_mulaw", "8000", Array(1...480)),
        ])
    func audioOfTelephonyAndOpusPassesThrough(
        name: String, codec: String, rate: String, steps expected: [Int64]
    ) async throws {
        let path = try await makeFile(name, ["-vn", "-c:a", codec, "-ar", rate])
        defer { unlink(path) }
        let units = try play(path, seconds: 3)
        #expect(units.count > 40)
        let steps = zip(units, units.dropFirst()).map { $1.decodeTime.ticks - $0.decodeTime.ticks }
        // At the end of the file, a packet may be shorter.
        #expect(steps.count { !expected.contains($0) } <= 2, "\(Set(steps).subtracting(expected).sorted())")
        #expect(units.allSatisfy { $0.presentationTime.rate.hertz == Int32(rate) && $0.bytes.count <= 1_200 })
    }

    /// A raw stream has no times, so they come from the picture order counts.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"),
        arguments: ["h265.mp4", "h265.mkv", "h265.ts", "raw.h265"])
    func h265PassesThroughInPresentationOrder(name: String) async throws {
        let path = try await makeFile(
            name,
            ["-vf", "scale=320:180", "-c:v", "libx265", "-preset", "ultrafast", "-an", "-x265-params"]
                + ["log-level=none:bframes=3:keyint=10:min-keyint=10:b-adapt=0"])
        defer { unlink(path) }
        let units = try play(path, seconds: 5)
        #expect(units.count > 90 && units[0].isKeyframe)
        #expect(zip(units, units.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
        #expect(units.contains { $0.presentationTime.ticks - $0.decodeTime.ticks > 3_600 })
        // All frames of two groups of pictures have times of their own, one frame apart.
        let shown = units.prefix(40).map(\.presentationTime.ticks).sorted().prefix(30)
        #expect(zip(shown, shown.dropFirst()).allSatisfy { (4_200...4_800).contains($1 - $0) }, "\(shown)")
        for unit in units where unit.isKeyframe {
            // In MPEG-TS behind a delimiter.
            let types = unit.units.map { unit.bytes[$0.lowerBound] >> 1 }.filter { $0 != 35 }
            #expect(types.prefix(3) == [32, 33, 34])
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func aTruncatedFilePlaysToItsEnd() async throws {
        let path = try await makeFile("cut.ts", ["-c:v", "libx264", "-c:a", "aac"])
        defer { unlink(path) }
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.prefix(whole.count * 2 / 3).write(to: URL(filePath: path))
        #expect(try play(path, seconds: 5).count > 150)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func transcodingUsesTheConfiguredSettings() async throws {
        let path = try await makeFile("mpeg4.avi", ["-c:v", "mpeg4", "-c:a", "libmp3lame"])
        defer { unlink(path) }
        var settings = EncodingSettings()
        settings.video.profile = .baseline
        settings.video.bitrate = 100_000
        settings.video.gopFrames = 15
        settings.audio?.sampleRate = try #require(ClockRate(hertz: 24_000))
        settings.audio?.channelCount = 1
        let source = FileSource(.file(path), loops: false, encoding: settings, clock: VirtualClock().clock)
        var tracks: [Track] = []
        let units = try play(source, seconds: 5, announce: { tracks = $0 })
        guard case .h264(let sets) = tracks.first?.format else { throw Unexpected() }
        #expect(sets.sequence.first?[1] == 66)
        #expect(tracks.map(\.clockRate.hertz) == [90_000, 24_000])
        // 15 frames at the model's 30 per second are half a second: 10 frames at this file's 20.
        let video = units.filter { $0.track == TrackID(0) }
        #expect(video.indices.filter { video[$0].isKeyframe } == Array(stride(from: 0, to: video.count, by: 10)))
        #expect((5_000...40_000).contains(video.reduce(0) { $0 + $1.bytes.count }))
        let status = try #require(source.status)
        #expect(status.pictureCount == video.count)
        #expect(status.averageQuantizer != nil)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func aTranscodedFileDeliversARequestedKeyframe() async throws {
        let path = try await makeFile("mjpeg.mkv", ["-c:v", "mjpeg", "-c:a", "pcm_s16le"])
        defer { unlink(path) }
        let source = FileSource(.file(path), loops: false, clock: VirtualClock().clock)
        var count = 0
        let units = try play(
            source, seconds: 5,
            observe: { unit in
                guard unit.track == TrackID(0) else { return }
                count += 1
                if count == 10 { source.requestKeyframe() }
            })
        let video = units.filter { $0.track == TrackID(0) }
        let points = video.indices.filter { video[$0].isKeyframe }
        #expect(points.first == 0)
        #expect(points.dropFirst().first.map { (10...20).contains($0) } == true, "\(points)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func theKeyframeIntervalOfATranscodedFileChangesWhileItPlays() async throws {
        let path = try await makeFile("mjpeg.mkv", ["-c:v", "mjpeg", "-c:a", "pcm_s16le"])
        defer { unlink(path) }
        var settings = EncodingSettings()
        settings.video.gopFrames = 1000
        let source = FileSource(.file(path), loops: false, encoding: settings, clock: VirtualClock().clock)
        var (count, wanted) = (0, settings)
        wanted.video.gopFrames = 6
        let units = try play(
            source, seconds: 5,
            observe: { unit in
                guard unit.track == TrackID(0) else { return }
                count += 1
                if count == 10 { source.change(to: wanted) }
            })
        let video = units.filter { $0.track == TrackID(0) }
        let points = video.indices.filter { video[$0].isKeyframe }
        let steps = zip(points.dropFirst(), points.dropFirst(2)).map { $1 - $0 }
        #expect(points.first == 0)
        #expect(points.dropFirst().first.map { (10...20).contains($0) } == true, "\(points)")
        #expect(steps.count > 1 && Set(steps).count == 1, "\(points)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func h264WithEffectsIsTranscoded() async throws {
        let path = try await makeFile(
            "h264.mkv", ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-vf", "crop=320:178", "-c:a", "aac"])
        defer { unlink(path) }
        var settings = EncodingSettings()
        settings.filters = "drawbox=x=0:y=0:w=160:h=178:color=black:t=fill"
        let source = FileSource(.file(path), loops: false, encoding: settings, clock: VirtualClock().clock)
        let units = try play(source, seconds: 5).filter { $0.track == TrackID(0) }
        let decoder = try VideoDecoder()
        let decoded = try units.flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.count == 40)
        for decodedFrame in decoded {
            let frame = try Scaler(width: 320, height: 178).scale(decodedFrame)
            let hidden = stride(from: 8, to: 144, by: 8).map { Int(frame.luma[$0, 60]) }
            #expect(hidden.allSatisfy { $0 < 24 })
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: ffmpeg), "needs ffmpeg"))
    func withoutAudioOnlyTheVideoIsPlayed() async throws {
        let path = try await makeFile("h264.mkv", ["-c:v", "libx264", "-c:a", "aac"])
        defer { unlink(path) }
        var settings = EncodingSettings()
        settings.audio = nil
        let source = FileSource(.file(path), loops: true, encoding: settings, clock: VirtualClock().clock)
        var tracks: [Track] = []
        let units = try play(source, seconds: 5, announce: { tracks = $0 })
        #expect(tracks.map(\.kind) == [.video])
        #expect((95...110).contains(units.count))
        #expect(source.status == nil)
    }

    private struct Unexpected: Error {}

    private func play(_ path: String, seconds: Int64) throws -> [AccessUnit] {
        try play(FileSource(.file(path), loops: true, clock: VirtualClock().clock), seconds: seconds)
    }

    private func play(
        _ source: FileSource, seconds: Int64, announce: ([Track]) -> Void = { _ in },
        observe: (AccessUnit) -> Void = { _ in }
    ) throws -> [AccessUnit] {
        var units: [AccessUnit] = []
        try withoutActuallyEscaping({ (unit: AccessUnit) in
            units.append(unit)
            observe(unit)
            if unit.decodeTime.nanoseconds - units[0].decodeTime.nanoseconds > seconds * 1_000_000_000 { source.stop() }
        }) { publish in
            try withoutActuallyEscaping(announce) { announce in
                try source.run(epoch: MonotonicTime(nanoseconds: 0), announce: announce, publish: publish)
            }
        }
        return units
    }
}
