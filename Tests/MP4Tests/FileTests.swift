import Foundation
import Media
import TestSupport
import Testing

@testable import MP4

/// FFmpeg and GStreamer read our files without warnings, and find the media of the source file in them.
@Suite(.enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe"), "needs ffmpeg and ffprobe"))
struct FileTests {
    /// Which tracks a file has.
    enum Selection: CaseIterable {
        case all
        case video
        case audio

        var kinds: [Codec.Kind] {
            switch self {
            case .all: [.video, .audio]
            case .video: [.video]
            case .audio: [.audio]
            }
        }
    }

    /// A packet as FFmpeg demuxes it.
    struct Packet: Equatable {
        /// When it is presented.
        let seconds: Double
        let hash: String
    }

    /// Matroska rounds times to milliseconds.
    static let tolerance = 0.0011

    static let clips: [Clip] = [.plain, .bFrames, .h265, .opus]

    @Test(arguments: clips, Selection.allCases)
    func ffmpegReadsTheSameMediaFromTheFileAsFromTheClip(clip: Clip, selection: Selection) async throws {
        let path = try await clip.path()
        for placement in [ParameterSetPlacement.inBand, .outOfBand] {
            let folder = try TemporaryFolder()
            let copy = try Self.write(path, placement, selection, to: folder.file("copy.mp4"))
            try await Self.expectNoWarnings(copy)
            for kind in selection.kinds {
                let (original, own) = (try await Self.packets(kind, of: path), try await Self.packets(kind, of: copy))
                Self.expectSameTimes(own, original)
                // The clip has its parameter sets out of band, too.
                if kind == .audio || placement == .outOfBand { #expect(own.map(\.hash) == original.map(\.hash)) }
                if kind == .video { #expect(try await Self.frames(of: copy) == Self.frames(of: path)) }
            }
        }
    }

    /// GStreamer copies the file into Matroska.
    @Test(.enabled(if: Command.exists("gst-launch-1.0"), "needs gst-launch-1.0"), arguments: clips, Selection.allCases)
    func gstreamerReadsTheSamePacketsFromTheFileAsFromTheClip(clip: Clip, selection: Selection) async throws {
        let path = try await clip.path()
        let folder = try TemporaryFolder()
        let copy = try Self.write(path, .outOfBand, selection, to: folder.file("copy.mp4"))
        let matroska = folder.file("copy.mkv")
        let branches = selection.kinds.flatMap { kind in
            // matroskamux wants to know how audio is framed.
            let parser = kind == .video ? "identity" : clip == .opus ? "opusparse" : "aacparse"
            return ["demuxer.\(kind)_0", "!", "queue", "!", parser, "!", "muxer."]
        }
        let outcome = try await Command.run(
            ["gst-launch-1.0", "filesrc", "location=\(copy)", "!", "qtdemux", "name=demuxer"] + branches
                + ["matroskamux", "name=muxer", "!", "filesink", "location=\(matroska)"], within: 60)
        #expect(outcome.status == 0 && !outcome.text.contains("WARNING"), "\(outcome.diagnostics)")
        for kind in selection.kinds {
            let (original, own) = (try await Self.packets(kind, of: path), try await Self.packets(kind, of: matroska))
            Self.expectSameTimes(own, original)
            #expect(own.map(\.hash) == original.map(\.hash))
        }
    }

    /// A client that joins in the middle gets a file that begins at 0, with video and audio as far apart as before.
    @Test(arguments: clips)
    func aFileThatBeginsInTheMiddleBeginsAtZero(clip: Clip) async throws {
        let folder = try TemporaryFolder()
        let path = try await clip.path()
        let copy = try Self.write(path, .inBand, .all, from: 2.9, to: folder.file("copy.mp4"))
        try await Self.expectNoWarnings(copy)
        var distances: [Double] = []
        for kind in Selection.all.kinds {
            let (original, own) = (try await Self.packets(kind, of: path), try await Self.packets(kind, of: copy))
            // Video begins with the distance of its decode time, at most.
            #expect((0...0.13).contains(own[0].seconds), "\(own[0].seconds)")
            distances.append(original[original.count - own.count].seconds - own[0].seconds)
        }
        #expect(abs(distances[0] - distances[1]) < Self.tolerance, "\(distances)")
    }

    // MARK: - Files

    /// Writes what a client gets that joins at the first keyframe after `seconds`.
    private static func write(
        _ source: String, _ placement: ParameterSetPlacement, _ selection: Selection, from seconds: Double = 0,
        to path: String
    ) throws -> String {
        let film = try Film(source)
        var packager = MP4Packager<[UInt8]>(tracks: film.tracks, options: placement)
        var timeline = ClientTimeline()
        var bytes = packager.head?.selecting { selection.kinds.contains($0.kind) }?.bytes ?? []
        let fragments = packager.fragments(of: film.units).drop {
            seconds > 0
                && !($0.kind == .video && $0.isKeyframe && Double($0.presentationTime.nanoseconds) > seconds * 1e9)
        }
        for fragment in fragments where selection.kinds.contains(fragment.kind) {
            guard let fields = timeline.fields(for: fragment) else { continue }
            bytes += [UInt8](byteCount: fragment.boxesByteCount) {
                fragment.writeBoxes(with: fields, includesCaptureTime: true, to: &$0)
            }
            bytes += fragment.bytes[fragment.boxesByteCount...]
        }
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private static func expectSameTimes(_ packets: [Packet], _ original: [Packet]) {
        guard packets.count == original.count, let first = packets.first, let origin = original.first else {
            Issue.record("\(packets.count) packets instead of \(original.count)")
            return
        }
        let delay = first.seconds - origin.seconds
        #expect(zip(packets, original).allSatisfy { abs($0.seconds - $1.seconds - delay) < tolerance })
    }

    // MARK: - FFmpeg

    private static func expectNoWarnings(_ path: String) async throws {
        let check = try await Command.run(["ffmpeg", "-v", "warning", "-i", path, "-f", "null", "-"], within: 60)
        #expect(check.status == 0 && check.errors == "", "\(check.diagnostics)")
    }

    private static func packets(_ kind: Codec.Kind, of path: String) async throws -> [Packet] {
        let outcome = try await Command.run([
            "ffprobe", "-v", "error", "-select_streams", kind == .video ? "v" : "a", "-show_data_hash", "MD5",
            "-show_entries", "packet=pts_time,data_hash", "-of", "default=noprint_wrappers=1", path,
        ])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.diagnostics)")
        func values(_ key: String) -> [Substring] {
            outcome.text.split(separator: "\n").filter { $0.hasPrefix(key) }.map { $0.dropFirst(key.count) }
        }
        return zip(values("pts_time="), values("data_hash=MD5:")).compactMap { time, hash in
            Double(time).map { Packet(seconds: $0, hash: String(hash)) }
        }
    }

    /// The checksum of all decoded frames.
    private static func frames(of path: String) async throws -> String {
        let outcome = try await Command.run(
            ["ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "md5", "-"], within: 60)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        return outcome.text
    }
}
