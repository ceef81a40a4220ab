import Codecs
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture

/// JPEG images from cameras: complete, truncated, of another size, and data other than JPEG.
@Suite struct MotionJPEGTests {
    private static let layout = FrameLayout(
        code: FourCharacterCode("MJPG"), format: .motionJPEG, width: 64, height: 48, strides: [])

    private func image(_ width: Int, _ height: Int) async throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).jpg")
        // Files left in the temporary folder do no harm.
        defer { try? FileManager.default.removeItem(at: file) }
        let outcome = try await Command.run(
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=red:s=\(width)x\(height)", "-frames:v",
                "1", "-pix_fmt", "yuvj422p", file.path,
            ], within: 30)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        return [UInt8](try Data(contentsOf: file))
    }

    private func pipeline() throws -> CameraEncodingPipeline {
        try CameraEncodingPipeline(Self.layout, interval: .thirtieth, control: EncoderControl())
    }

    private func fault(_ pipeline: CameraEncodingPipeline, _ bytes: [UInt8], tick: Int64) throws -> FrameFault? {
        let units = try bytes.withUnsafeBytes {
            let buffer = FilledBuffer(index: 0, time: nil, isDamaged: false)
            let frame = CameraFrame(buffer, planes: [$0], of: nil, mayBeRetained: false)
            return try pipeline.units(of: frame, at: MediaTime(ticks: tick, rate: .video), skipped: 0)
        }
        #expect(units.isEmpty == (pipeline.fault != nil))
        return pipeline.fault
    }

    @Test func wholeImagesAreEncodedAndOthersReportedByTheirFault() async throws {
        let (whole, other) = (try await image(64, 48), try await image(80, 48))
        let pipeline = try pipeline()
        #expect(try fault(pipeline, whole, tick: 1) == nil)
        #expect(try fault(pipeline, whole + [0, 0, 0], tick: 2) == nil)
        #expect(try fault(pipeline, Array(whole.dropLast(20)), tick: 3) == .truncated)
        #expect(try fault(pipeline, other, tick: 4) == .otherSize)
        #expect(try fault(pipeline, [1, 2, 3, 4, 5, 6], tick: 5) == .undecodable)
        #expect(try fault(pipeline, [], tick: 6) == .empty)
        #expect(try fault(pipeline, whole, tick: 7) == nil)
    }

    @Test func damageAnywhereInAnImageCausesNoTrap() async throws {
        let whole = try await image(64, 48)
        let pipeline = try pipeline()
        var random = SplitMix64(seed: 4)
        for tick in 0..<300 {
            var bytes = whole
            for _ in 0..<4 {
                bytes[Int.random(in: 2..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // The decoder decides whether it can still be shown.
            _ = try fault(pipeline, bytes, tick: Int64(tick))
        }
        #expect(try fault(pipeline, whole, tick: 1000) == nil)
    }
}
