import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Codecs beside H.264 and AAC, from a file through two servers to ffmpeg and GStreamer.
    @Suite(.serialized, .sharesMachine)
    struct Codecs {
        @Test func h265IsServedAndPulledUnchanged() async throws {
            let file = try await Clip.h265.path()
            let original = try await CopiedMedia(of: file, format: "hevc")
            try await withServer(file) { origin in
                #expect(try await origin.isServing())
                try await original.expectCopy(at: origin.url())
                try await expectGStreamerCopy(of: original, at: origin.url())
                try await withServer("cam=\(origin.url())") { edge in
                    #expect(try await edge.isServing())
                    try await original.expectCopy(at: edge.url())
                }
            }
        }

        private func expectGStreamerCopy(of original: CopiedMedia, at url: String) async throws {
            guard Client.gstreamer.isInstalled else { return }
            let folder = try TemporaryFolder()
            let outcome = try await Command.run(
                [
                    "gst-launch-1.0", "-q", "rtspsrc", "location=\(url)", "protocols=tcp", "!", "rtph265depay", "!",
                    "h265parse", "!", "video/x-h265,stream-format=byte-stream,alignment=au", "!", "identity",
                    "eos-after=100", "!", "filesink", "location=\(folder.file("copy.h265"))",
                ], within: 30)
            #expect(outcome.status == 0 || Client.gstreamer.cancelledItsOwnPause(outcome), "\(outcome.diagnostics)")
            let bytes = try Data(contentsOf: URL(filePath: folder.file("copy.h265")))
            // The last unit may be incomplete, because the file is not closed in order.
            try original.expectVideo([UInt8](bytes))
        }
    }
}
