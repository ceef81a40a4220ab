import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// ffmpeg's copy of a stream equals the file NAL unit by NAL unit, except for start codes and parameter sets.
    @Suite(.serialized, .sharesMachine)
    struct Identity {
        /// Three files concurrently, because ffmpeg mostly waits for the stream.
        @Test func filesAreStreamedUnchangedAcrossLoops() async throws {
            // The files are six seconds long, so that nine seconds include the loop.
            async let plain: Void = expectIdentity(of: Clip.plain.path(), seconds: 9)
            async let reordered: Void = expectIdentity(of: Clip.bFrames.path(), seconds: 9)
            if SharedData.isPresent {
                try await expectIdentity(of: SharedData.path("video/big-buck-bunny-480p-30s.mp4"), seconds: 12)
            }
            _ = try await (plain, reordered)
        }

        private func expectIdentity(of file: String, seconds: Int) async throws {
            let source = try await Command.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", file, "-map", "0:v", "-c", "copy"]
                    + ["-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"], within: 20)
            let original = AnnexB.withoutParameterSets(AnnexB.units(of: source.output))
            let copy = try await withServer(file) { server in
                #expect(try await server.isServing())
                return try await Command.run(
                    Client.ffmpeg(server.url(), over: "tcp")
                        + ["-map", "0:v", "-c", "copy", "-t", "\(seconds)", "-f", "h264", "-"], within: 30)
            }
            #expect(copy.status == 0, "\(copy.diagnostics)")
            let copied = AnnexB.withoutParameterSets(AnnexB.units(of: copy.output))
            #expect(copied.count > seconds * 20)
            let position = try #require(start(of: copied, in: original))
            let difference = copied.indices.first { copied[$0] != original[(position + $0) % original.count] }
            #expect(difference == nil, "of \(copied.count) units, from unit \(position) of \(original.count) on")
        }

        /// Returns the index in the file at which the copy begins.
        private func start(of copied: [[UInt8]], in original: [[UInt8]]) -> Int? {
            original.indices.first { index in
                copied.indices.prefix(8).allSatisfy { copied[$0] == original[(index + $0) % original.count] }
            }
        }
    }
}
