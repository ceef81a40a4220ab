import Foundation
import Media
import Muxing
import TestSupport
import Testing

@testable import MPEGTS

/// What FFmpeg and GStreamer multiplex is read: the media of the source file, with the times that ffprobe finds in the stream.
@Suite(.enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe"), "needs ffmpeg and ffprobe"))
struct OtherMultiplexersTests {
    /// AAC in ADTS, H.264 with B-frames, H.265, Opus.
    @Test(arguments: [Clip.plain, .bFrames, .h265, .opus])
    func streamsOfFFmpegAreRead(clip: Clip) async throws {
        try await expect(try await clip.path(), multiplexedBy: ["-f", "mpegts"])
    }

    /// AAC in LATM; short PES packets of audio; PES packets with lengths; everything in one PES packet.
    @Test(arguments: [
        ["-mpegts_flags", "latm"], ["-pes_payload_size", "0"], ["-omit_video_pes_length", "0"],
        ["-pes_payload_size", "60000", "-muxdelay", "3"],
    ])
    func otherFormsOfFFmpegAreRead(options: [String]) async throws {
        try await expect(try await Clip.plain.path(), multiplexedBy: options + ["-f", "mpegts"])
    }

    @Test(.enabled(if: Command.exists("gst-launch-1.0"), "needs GStreamer"), arguments: [Clip.plain, .bFrames, .h265])
    func streamsOfGStreamerAreRead(clip: Clip) async throws {
        let folder = try TemporaryFolder()
        let (file, stream) = (try await clip.path(), folder.file("stream.ts"))
        let parser = clip == .h265 ? "h265parse" : "h264parse"
        let outcome = try await Command.run(
            [
                "gst-launch-1.0", "-q", "mpegtsmux", "name=mux", "!", "filesink", "location=\(stream)",
                "filesrc", "location=\(file)", "!", "qtdemux", "name=demux",
                "demux.video_0", "!", "queue", "!", parser, "config-interval=-1", "!", "mux.",
                "demux.audio_0", "!", "queue", "!", "aacparse", "!", "mux.",
            ], within: 30)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        try await expect(stream, sameMediaAs: file)
    }

    private func expect(_ file: String, multiplexedBy options: [String]) async throws {
        let folder = try TemporaryFolder()
        let stream = folder.file("stream.ts")
        let outcome = try await Command.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", file, "-map", "0", "-c", "copy"] + options + [stream],
            within: 30)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        try await expect(stream, sameMediaAs: file)
    }

    private func expect(_ stream: String, sameMediaAs file: String) async throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: stream)))
        let result = demultiplexed(bytes.packets)
        #expect(result.programs.count == 1 && result.programs[0].others == [])
        #expect(result.units.allSatisfy { $0.isComplete && $0.timeBase == 0 })
        let demuxer = try Demuxer(.file(file))
        var media: [Int: [[[UInt8]]]] = [:]
        while let packet = try demuxer.next() {
            guard let track = demuxer.tracks.first(where: { $0.index == packet.track }) else { continue }
            media[track.isVideo ? 0 : 1, default: []].append(track.units(of: packet.bytes))
        }
        for (index, codec) in result.programs[0].streams.enumerated() {
            let units = result.units(of: index)
            let kind = codec.facts.kind
            // Parameter sets and delimiters are added and moved by multiplexers.
            let contents = units.map { kind == .video ? codec.slices(of: $0.contents) : $0.contents }
            let original = media[kind == .video ? 0 : 1] ?? []
            let expected = original.map { kind == .video ? codec.slices(of: $0) : $0 }
            // GStreamer leaves out the audio before the first video, with which the encoder begins, and at the end.
            let inner = Array(expected.dropFirst().dropLast())
            let isWhole = contents == expected || kind == .audio && contents == inner
            #expect(isWhole, "\(codec): \(contents.count) of \(expected.count)")
            let times = try await Self.times(kind == .video ? "v" : "a", of: stream)
            let presentsAsFFprobe = units.map(\.presentationTime.ticks).isClose(to: times.map(\.presentation))
            let decodesAsFFprobe = units.map(\.decodeTime.ticks).isClose(to: times.map(\.decode))
            #expect(presentsAsFFprobe && decodesAsFFprobe, "\(codec)")
        }
    }

    /// Times in ticks, in the order of the stream.
    private static func times(
        _ kind: String, of path: String
    ) async throws -> [(presentation: Int64, decode: Int64)] {
        let outcome = try await Command.run([
            "ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts,dts", "-of", "csv=p=0",
            path,
        ])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.diagnostics)")
        return outcome.text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",").compactMap { Int64($0) }
            return fields.count == 2 ? (fields[0], fields[1]) : nil
        }
    }
}

extension [Int64] {
    /// FFmpeg's parser counts the time of the second frame of a packet with other roundings.
    fileprivate func isClose(to other: [Int64]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { abs($0 - $1) <= 1 }
    }
}

extension Codec {
    /// The NAL units that are neither parameter sets nor delimiters.
    fileprivate func slices(of units: [[UInt8]]) -> [[UInt8]] {
        units.filter { unit in
            self == .h265 ? !(32...35).contains(unit[0] >> 1 & 0x3F) : ![7, 8, 9].contains(AnnexB.type(of: unit))
        }
    }
}

extension DemuxedTrack {
    /// The NAL units, or the block of audio, in a packet.
    fileprivate func units(of bytes: [UInt8]) -> [[UInt8]] {
        switch format {
        case .h264(_, .some(let size)), .h265(_, .some(let size)):
            H264.LengthPrefixed.units(in: bytes, lengthSize: size).ranges.map { Array(bytes[$0]) }
        default: [bytes]
        }
    }
}
