import Codecs
import Media
import Streams
import Testing

@testable import Capture

/// Cameras with an encoder of their own.
@Suite struct CameraEncoderTests {
    enum Format: String, CaseIterable {
        case h264 = "H264"
        case h265 = "HEVC"
    }

    /// Frames from an encoder in the camera; the first and the fifth are keyframes.
    private func encoded(_ count: Int, as format: Format) throws -> [AccessUnit] {
        var settings = VideoEncoderSettings()
        (settings.width, settings.height) = (64, 48)
        let frames = try (0..<count).map { number in
            let frame = try VideoFrame(width: 64, height: 48)
            for plane in [frame.luma, frame.cb, frame.cr] {
                plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: UInt8(60 + number))
            }
            return (frame, MediaTime(ticks: Int64(number), rate: .video), number == 4)
        }
        switch format {
        case .h264:
            let encoder = try VideoEncoder(settings)
            return try frames.flatMap {
                try encoder.encode($0, track: TrackID(0), presentationTime: $1, forcingKeyframe: $2)
            }
        case .h265:
            let encoder = try H265Encoder(settings)
            return try frames.flatMap {
                try encoder.encode($0, track: TrackID(0), presentationTime: $1, forcingKeyframe: $2)
            } + encoder.finish(track: TrackID(0))
        }
    }

    private func annexB(_ unit: AccessUnit) -> [UInt8] { unit.units.flatMap { [0, 0, 0, 1] + unit.bytes[$0] } }

    @Test(arguments: Format.allCases) func whatTheCameraEncodesPassesThroughUnchangedAndComplete(_ format: Format)
        throws
    {
        let units = try encoded(6, as: format)
        let testRun = CameraTestRun()
        let frames = units.map { ReplayedCamera.Frame.bytes(annexB($0)) }
        let ask = ReplayedCamera.Event.action { [unowned testRun] in testRun.requestKeyframe() }
        try testRun.run(
            format.rawValue,
            [.frames([frames[0]]), .frames(Array(frames[1...3])), ask, .frames([frames[4]]), .frames([frames[5]])])
        let passed = try testRun.units()
        #expect(passed.map(annexB) == units.map(annexB))
        #expect(passed.map(\.isKeyframe) == [true, false, false, false, true, false])
        #expect(testRun.cameras.first?.keyFrameOrders == 1)
        #expect(testRun.status == nil)
    }

    @Test(arguments: Format.allCases) func whatTheCameraEncodesIsDecodedIfThereAreEffects(_ format: Format) throws {
        let units = try encoded(6, as: format)
        let testRun = CameraTestRun()
        let hide = ReplayedCamera.Event.action { [unowned testRun] in
            testRun.change { $0.encoding.filters = "drawbox=x=0:y=0:w=32:h=48:color=black:t=fill" }
        }
        let frames = units.map { ReplayedCamera.Event.frames([.bytes(annexB($0))]) }
        try testRun.run(format.rawValue, starts: 1, [frames[0], hide], frames)
        let shown = try testRun.frames(width: 64, height: 48)
        #expect(shown.count == 6)
        #expect(shown.allSatisfy { abs(Int($0.luma[16, 24]) - 16) <= 3 && abs(Int($0.luma[48, 24]) - 62) <= 5 })
        #expect(testRun.cameras.count == 2)
    }

    @Test(arguments: Format.allCases) func damagedOrEmptyFramesCauseNoTrap(_ format: Format) throws {
        let units = try encoded(3, as: format)
        let testRun = CameraTestRun()
        let whole = annexB(units[0])
        let cuts = stride(from: 0, to: whole.count, by: 3).map {
            ReplayedCamera.Event.frames([.bytes(Array(whole.prefix($0)))])
        }
        try testRun.run(format.rawValue, cuts + [.frames([.bytes([7, 7, 7])]), .frames([.bytes(whole)])])
        #expect(try testRun.units().last.map(annexB) == whole)
    }

    @Test(arguments: Format.allCases) func aRequestedKeyframeComesEvenIfThereAreEffects(_ format: Format) throws {
        let units = try encoded(6, as: format)
        let testRun = CameraTestRun()
        let hide = ReplayedCamera.Event.action { [unowned testRun] in testRun.change { $0.encoding.filters = "hflip" } }
        let ask = ReplayedCamera.Event.action { [unowned testRun] in testRun.requestKeyframe() }
        let frames = units.map { ReplayedCamera.Event.frames([.bytes(annexB($0))]) }
        try testRun.run(
            format.rawValue, starts: 1, [frames[0], hide], Array(frames[...2]) + [ask] + Array(frames[3...]))
        #expect(try testRun.units().map(\.isKeyframe) == [true, false, false, true, false, false])
    }
}
