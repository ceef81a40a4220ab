import TestSupport
import Testing

/// The access units of a file, to compare with a server's stream of the file, played again and again.
struct CopiedMedia: Sendable {
    /// The NAL units of the video, without parameter sets.
    private let video: [[UInt8]]
    /// The checksums of the audio's access units.
    private let audio: [[UInt8]]

    private let format: String

    /// - Parameter format: FFmpeg's name of the video's format.
    init(of file: String, format: String = "h264") async throws {
        self.format = format
        video = try await Self.units(of: ["-i", file], format, "-t", "6")
        audio = try await Self.frames(of: ["-i", file], "-t", "7")
    }

    /// Expects that some seconds of the stream are the same bytes as the file.
    func expectCopy(at url: String, seconds: Int = 8, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let viewing = url.hasPrefix("http") ? ["-i", url] : Array(Client.ffmpeg(url, over: "tcp").dropFirst(4))
        async let copiedVideo = Self.units(of: viewing, format, "-t", "\(seconds)")
        async let copiedAudio = Self.frames(of: viewing, "-t", "\(seconds)")
        try Self.expectPart(try await copiedVideo, of: video, "video of \(url)", sourceLocation)
        // The encoder's first frame, from before time 0, is not repeated with the file, so the audio is compared between two
        // repetitions only.
        let passes = try await copiedAudio.split(separator: audio[audio.count - 1]).map(Array.init)
        let longest = try #require(passes.max { $0.count < $1.count }, sourceLocation: sourceLocation)
        try Self.expectPart(longest, of: audio, "audio of \(url)", sourceLocation)
    }

    private static func units(
        of input: [String], _ format: String, _ options: String...
    ) async throws -> [[UInt8]] {
        let bytes = try await copy(
            input,
            ["-map", "0:v", "-c", "copy"] + options + ["-bsf:v", "\(format)_mp4toannexb", "-f", format, "-"])
        let units = AnnexB.units(of: bytes)
        guard format == "hevc" else { return AnnexB.withoutParameterSets(units) }
        // Parameter sets, and delimiters (ITU-T H.265, table 7-1).
        return units.filter { !(32...35).contains($0[0] >> 1 & 0x3F) }
    }

    /// Expects that the NAL units of an H.264 byte stream are a part of the file's.
    func expectVideo(h264 bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let units = AnnexB.withoutParameterSets(AnnexB.units(of: bytes))
        try Self.expectPart(units, of: video, "video", sourceLocation)
    }

    /// Expects that the NAL units of an H.265 byte stream are a part of the file's.
    func expectVideo(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let units = AnnexB.units(of: bytes).filter { !(32...35).contains($0[0] >> 1 & 0x3F) }
        try Self.expectPart(units, of: video, "video", sourceLocation)
    }

    private static func frames(of input: [String], _ options: String...) async throws -> [[UInt8]] {
        let text = try await copy(input, ["-map", "0:a", "-c", "copy"] + options + ["-f", "framemd5", "-"])
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
            .filter { $0.first != "#" }.map { Array($0.split(separator: ",")[5].utf8) }
    }

    private static func copy(_ input: [String], _ output: [String]) async throws -> [UInt8] {
        let outcome = try await Command.run(["ffmpeg", "-nostdin", "-v", "error"] + input + output, within: 40)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        return outcome.output
    }

    /// Expects that the copy is a part of the original, which is repeated.
    private static func expectPart(
        _ copied: [[UInt8]], of original: [[UInt8]], _ name: String, _ sourceLocation: SourceLocation
    ) throws {
        #expect(copied.count > 20, "\(name)", sourceLocation: sourceLocation)
        let position = original.indices.first { index in
            copied.prefix(8).indices.allSatisfy { copied[$0] == original[(index + $0) % original.count] }
        }
        let start = try #require(position, "\(name)", sourceLocation: sourceLocation)
        let difference = copied.indices.first { copied[$0] != original[(start + $0) % original.count] }
        #expect(
            difference == nil, "\(name): of \(copied.count) units, from unit \(start) of \(original.count) on",
            sourceLocation: sourceLocation)
    }
}
