import Foundation
import Media
import Muxing
import TestSupport
import Testing

@testable import MPEGTS

/// FFmpeg reads our streams without warnings and finds the media of the source file.
@Suite(.enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe"), "needs ffmpeg and ffprobe"))
struct FileTests {
    @Test(arguments: [Clip.plain, .bFrames])
    func ffmpegReadsTheSameMediaFromTheStreamAsFromTheClip(clip: Clip) async throws {
        try await compare(await clip.path())
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func ffmpegReadsTheSameMediaFromTheStreamAsFromTheFile() async throws {
        try await compare(SharedData.path("video/big-buck-bunny-480p-30s.mp4"))
    }

    private func compare(_ film: String) async throws {
        let folder = try TemporaryFolder()
        let stream = folder.file("film.ts")
        var receiver = Receiver()
        let bytes = try Self.stream(of: film)
        receiver.receive(bytes)
        #expect(receiver.violations == [])
        try Data(bytes).write(to: URL(filePath: stream))

        let check = try await Command.run(["ffmpeg", "-v", "warning", "-i", stream, "-f", "null", "-"], within: 60)
        #expect(check.status == 0 && check.errors == "", "\(check.diagnostics)")
        for kind in ["v", "a"] {
            let original = try await Self.packets(kind, of: film)
            let copy = try await Self.packets(kind, of: stream)
            #expect(copy.count == original.count)
            // Packet sizes differ (start codes, headers); times are ten seconds later than in the file.
            #expect(zip(original, copy).allSatisfy { abs($1 - $0 - 10) < 0.001 })
            #expect(try await Self.checksum(kind, of: stream) == Self.checksum(kind, of: film))
        }
    }

    /// Presentation times in seconds.
    private static func packets(_ kind: String, of path: String) async throws -> [Double] {
        let outcome = try await Command.run([
            "ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of", "csv=p=0",
            path,
        ])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.diagnostics)")
        return outcome.text.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
    }

    /// The checksum of all decoded frames.
    private static func checksum(_ kind: String, of path: String) async throws -> String {
        // An MP4's edit list removes the encoder's first samples; transport streams have no edit lists.
        let options = path.hasSuffix(".ts") ? [] : ["-ignore_editlist", "1"]
        let outcome = try await Command.run(
            ["ffmpeg", "-v", "error"] + options + ["-i", path, "-map", "0:\(kind)", "-f", "md5", "-"], within: 60)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        return outcome.text
    }

    /// The file as a transport stream, in decoding order.
    private static func stream(of path: String) throws -> [UInt8] {
        let demuxer = try Demuxer(.file(path))
        var (tracks, lengthSizes): ([Track], [Int?]) = ([], [])
        for (index, track) in demuxer.tracks.enumerated() {
            switch track.format {
            case .h264(let sets, let size):
                tracks.append(Track(id: TrackID(index), clockRate: .video, format: .h264(sets)))
                lengthSizes.append(size)
            case .aac(let config, _):
                tracks.append(Track(id: TrackID(index), clockRate: config.sampleRate, format: .aac(config)))
                lengthSizes.append(nil)
            default: throw Command.Failure.cannotStart("a file with H.264 and AAC")
            }
        }
        var units: [AccessUnit] = []
        while let packet = try demuxer.next() {
            guard let index = demuxer.tracks.firstIndex(where: { $0.index == packet.track }) else { continue }
            units.append(unit(packet, of: tracks[index], lengthSize: lengthSizes[index]))
        }
        units.sort { $0.decodeTime.nanoseconds < $1.decodeTime.nanoseconds }
        var multiplexer = Multiplexer(tracks: tracks)
        return multiplexer.bytes(of: units).flatMap { $0 }
    }

    private static func unit(_ packet: DemuxedPacket, of track: Track, lengthSize: Int?) -> AccessUnit {
        let nalUnits = lengthSize.map {
            H264.LengthPrefixed.units(in: packet.bytes, lengthSize: $0).ranges.map { Array(packet.bytes[$0]) }
        }
        // One nanosecond, because of rounding.
        func time(_ nanoseconds: Int64?) -> MediaTime {
            MediaTime(nanoseconds: (nanoseconds ?? 0) + 1, rate: track.clockRate)
        }
        return AccessUnit(
            track: track.id, presentationTime: time(packet.presentation),
            decodeTime: time(packet.decode ?? packet.presentation),
            isKeyframe: nalUnits?.contains { AnnexB.type(of: $0) == 5 } ?? true,
            nalUnits: nalUnits ?? [packet.bytes])
    }
}
