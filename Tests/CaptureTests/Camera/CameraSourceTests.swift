import Codecs
import Media
import Streams
import Testing

@testable import Capture

@Suite struct CameraSourceTests {
    @Test func theDriversCaptureTimeIsThePresentationTime() throws {
        let testRun = CameraTestRun()
        try testRun.run("YUYV", [.frames([.yuyv(50)]), .frames([.yuyv(60, age: 12_000_000)]), .frames([.yuyv(70)])])
        let now = 1_000_000_000 + ReplayedCamera.interval
        let expected = [
            now - 5_000_000, now + ReplayedCamera.interval - 12_000_000, now + 2 * ReplayedCamera.interval - 5_000_000,
        ]
        #expect(
            try testRun.units().map(\.presentationTime)
                == expected.map { MediaTime(nanoseconds: $0, rate: .video) })
        #expect(testRun.status?.pictureCount == 3)
        #expect(testRun.status?.skippedCount == 0)
    }

    @Test func onlyTheNewestFrameIsEncodedAndTheOthersAreCounted() throws {
        let testRun = CameraTestRun()
        try testRun.run("YUYV", [.frames([.yuyv(40), .yuyv(80), .yuyv(120)]), .frames([.yuyv(160)])])
        let lumas = try testRun.frames(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(lumas.count == 2)
        #expect(zip(lumas, [120, 160]).allSatisfy { abs(Int($0) - $1) <= 2 })
        #expect(testRun.status?.skippedCount == 2)
        #expect(testRun.cameras.map(\.takenCount) == [0])
    }

    @Test func faultyFramesAreDroppedAndTheNextIsEncoded() throws {
        let testRun = CameraTestRun()
        try testRun.run(
            "YUYV",
            [
                .frames([.bytes([])]), .frames([.bytes([1, 2, 3])]), .frames([.bytes()]), .frames([.yuyv(90)]),
                .frames([.yuyv(90, isDamaged: true)]), .frames([.yuyv(90, age: -3_600_000_000_000)]),
                .frames([.yuyv(90, age: .max)]), .frames([.yuyv(90, age: nil)]),
            ])
        let times = try testRun.units().map(\.presentationTime.ticks)
        #expect(times.count == 4)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(testRun.failure?.reason == "the replay has ended")
        #expect(testRun.cameras.map(\.takenCount) == [0])
    }

    @Test func aRequestedKeyframeIsTheNextFrameEvenAfterAFaultyOne() throws {
        let testRun = CameraTestRun()
        let ask = ReplayedCamera.Event.action { [unowned testRun] in testRun.requestKeyframe() }
        try testRun.run(
            "YUYV",
            [
                .frames([.yuyv(50)]), .frames([.yuyv(51)]), ask, .frames([.bytes([])]), .frames([.yuyv(52)]),
                .frames([.yuyv(53)]),
            ])
        #expect(try testRun.units().map(\.isKeyframe) == [true, false, true, false])
    }

    @Test func afterAnUnplugTheSameTracksContinueAtAnIDRFrameOnTheSameTimeline() throws {
        let testRun = CameraTestRun()
        let first: [ReplayedCamera.Event] = [.frames([.yuyv(50)]), .frames([.yuyv(51)]), .unplugged]
        try testRun.run("YUYV", first, [])
        #expect(testRun.cameras.count == 2)
        let before = testRun.stream.announcement
        let again = CameraTestRun()
        try again.run("YUYV", first, [.silence(milliseconds: 3000), .frames([.yuyv(52)]), .frames([.yuyv(53)])])
        let units = try again.units()
        #expect(units.map(\.isKeyframe) == [true, false])
        #expect(try #require(units.first).presentationTime.nanoseconds > 4_000_000_000)
        #expect(again.stream.announcement?.tracks == before?.tracks)
        #expect(again.stream.announcement?.version == 1, "the viewers' sessions continue")
    }

    @Test func anUnpluggedCameraIsReportedWithARemedy() throws {
        let testRun = CameraTestRun()
        try testRun.run("YUYV", [.frames([.yuyv(50)]), .unplugged])
        #expect(testRun.failure?.reason == "/dev/replay has failed or was unplugged: No such device")
        #expect(testRun.failure?.remedy == "plug it in again; the stream continues automatically")
    }

    @Test func aCameraThatDeliversNoFramesFails() throws {
        let testRun = CameraTestRun()
        try testRun.run(
            "YUYV",
            [.frames([.yuyv(50)]), .silence(milliseconds: 4000), .frames([.yuyv(50)]), .silence(milliseconds: 5001)])
        #expect(testRun.failure?.reason == "/dev/replay has delivered no frame for 5 s")
    }

    @Test func stoppingEndsTheRunWithoutAFailure() throws {
        let testRun = CameraTestRun()
        try testRun.run(
            "YUYV", [.frames([.yuyv(50)]), .action { [unowned testRun] in testRun.stop() }, .frames([.yuyv(50)])])
        #expect(testRun.failure == nil)
        #expect(try testRun.units().count == 1)
    }

    @Test func aCameraWithoutASupportedFormatIsReportedWithItsFormats() throws {
        let testRun = CameraTestRun()
        try testRun.run("pBAA", [])
        #expect(testRun.failure?.reason == "/dev/replay offers no format that Apus supports; it offers pBAA")
    }

    @Test func aConfiguredFormatThatIsNotOfferedFails() throws {
        let testRun = CameraTestRun()
        try testRun.run("YUYV", format: "MJPG", [.frames([.yuyv(50)])])
        #expect(testRun.failure?.reason == "/dev/replay does not offer MJPG, or Apus does not support that format")
        #expect(testRun.failure?.remedy == "choose one of YUYV")
    }

    @Test func controlsAreSetByNameAndInvalidOnesAreSkipped() throws {
        let brightness = CameraControl(
            id: 7, title: "Brightness", kind: .integer, range: 0...255, step: 1, defaultValue: 128, value: 128,
            isReadOnly: false)
        let testRun = CameraTestRun()
        try testRun.run(
            "YUYV", controls: [brightness], settings: ["brightness": "200", "brightnes": "1", "Brightness": "999"],
            [.frames([.yuyv(50)])])
        #expect(testRun.cameras.first?.settings == ["brightness": 200])
        #expect(try testRun.units().count == 1)
    }

    @Test func bitrateAndControlsChangeOnTheRunningCamera() throws {
        let brightness = CameraControl(
            id: 7, title: "Brightness", kind: .integer, range: 0...255, step: 1, defaultValue: 128, value: 128,
            isReadOnly: false)
        let testRun = CameraTestRun()
        let change = ReplayedCamera.Event.action { [unowned testRun] in
            testRun.change {
                $0.encoding.video.bitrate = 300_000
                $0.controls["brightness"] = "200"
            }
        }
        try testRun.run(
            "YUYV", controls: [brightness],
            [.frames([.yuyv(50)]), change, .frames([.yuyv(51)]), .frames([.yuyv(52)])])
        #expect(testRun.cameras.map(\.settings) == [["brightness": 200]])
        #expect(try testRun.units().map(\.isKeyframe) == [true, false, false])
        #expect(testRun.stream.announcement?.version == 1)
    }

    /// Programs see the controls while the camera is open, with their present values.
    @Test func controlsAreListedWhileTheCameraIsOpen() throws {
        let brightness = CameraControl(
            id: 7, title: "Brightness", kind: .integer, range: 0...255, step: 1, defaultValue: 128, value: 128,
            isReadOnly: false)
        let testRun = CameraTestRun()
        var values: [Int?] = []
        func look() {
            if case .integer(_, _, _, let value)? = testRun.controls?.first?.setting { values.append(value) }
        }
        try testRun.run(
            "YUYV", controls: [brightness], settings: ["brightness": "200"],
            [
                .frames([.yuyv(50)]), .action(look), .action { testRun.change { $0.controls["brightness"] = "90" } },
                .frames([.yuyv(51)]), .action(look),
            ])
        #expect(values == [200, 90])
        #expect(testRun.controls == nil, "it is closed")
    }

    @Test func anotherSizeReopensTheCameraAndTheSameTracksContinue() throws {
        let testRun = CameraTestRun()
        let change = ReplayedCamera.Event.action { [unowned testRun] in
            testRun.change { $0.encoding.video.width = 128 }
        }
        try testRun.run(
            "YUYV", starts: 1, [.frames([.yuyv(50)]), change, .frames([.yuyv(51)])], [.frames([.yuyv(52)])])
        #expect(testRun.cameras.count == 2)
        #expect(testRun.cameras.map(\.takenCount) == [0, 0])
        #expect(try testRun.units().map(\.isKeyframe) == [true])
        #expect(testRun.failure?.reason == "the replay has ended")
    }

    @Test func effectsChangeOnTheRunningCamera() throws {
        let testRun = CameraTestRun()
        let change = ReplayedCamera.Event.action { [unowned testRun] in
            testRun.change { $0.encoding.filters = "negate" }
        }
        try testRun.run("YUYV", [.frames([.yuyv(50)]), change, .frames([.yuyv(50)])])
        let lumas = try testRun.frames(width: 64, height: 48).map { $0.luma[32, 24] }
        #expect(lumas.count == 1 && lumas[0] > 180, "new viewers see nothing from before")
        #expect(try testRun.units().map(\.isKeyframe) == [true])
        #expect(testRun.stream.announcement?.version == 1, "and connected viewers stay")
        #expect(testRun.cameras.count == 1)
    }

    @Test func ifPrivacyMasksFailNothingIsShown() throws {
        let testRun = CameraTestRun()
        let change = ReplayedCamera.Event.action { [unowned testRun] in
            testRun.change {
                $0.encoding.filters = "nosuchfilter"
                $0.encoding.hasPrivacyMasks = true
            }
        }
        try testRun.run("YUYV", starts: 1, [.frames([.yuyv(50)]), change, .frames([.yuyv(50)])])
        #expect(testRun.failure?.reason.contains("nosuchfilter") == true)
        #expect(try testRun.units().count == 1)
    }

    @Test func aFormatThatTheCameraLacksIsRejectedAndTheOldOneStays() throws {
        let testRun = CameraTestRun()
        let change = ReplayedCamera.Event.action { [unowned testRun] in testRun.change { $0.format = "NV12" } }
        try testRun.run("YUYV", starts: 1, [.frames([.yuyv(50)]), change, .frames([.yuyv(51)])])
        #expect(try testRun.units().map(\.isKeyframe) == [true, false])
        #expect(testRun.cameras.count == 1)
        #expect(testRun.failure?.reason == "the replay has ended")
    }

    @Test func anInvalidEffectChangesNothing() throws {
        let testRun = CameraTestRun()
        let change = ReplayedCamera.Event.action { [unowned testRun] in
            testRun.change { $0.encoding.filters = "nosuchfilter" }
        }
        try testRun.run("YUYV", [.frames([.yuyv(50)]), change, .frames([.yuyv(50)])])
        #expect(try testRun.units().map(\.isKeyframe) == [true, false])
        #expect(testRun.failure?.reason == "the replay has ended")
    }

    /// Luma 81, Cb 90, Cr 240: red, in each format's own order.
    @Test(arguments: [
        ("YUYV", [[81, 90, 81, 240]]), ("UYVY", [[90, 81, 240, 81]]), ("YVYU", [[81, 240, 81, 90]]),
        ("RGB3", [[255, 0, 0]]), ("BGR3", [[0, 0, 255]]),
    ])
    func packedFormatsKeepTheirColours(code: String, pattern: [[UInt8]]) throws {
        let pixels = pattern[0].count == 3 ? 1 : 2
        let frame = ReplayedCamera.Frame(
            planes: [(0..<64 * 48 / pixels).flatMap { _ in pattern[0] }])
        try expectRed(code, frame)
    }

    @Test(arguments: [
        ("NV12", [90, 240]), ("NV21", [240, 90]),
    ])
    func semiplanarFormatsKeepTheirColours(code: String, chroma: [UInt8]) throws {
        let (first, second) = ([UInt8](repeating: 81, count: 64 * 48), (0..<32 * 24).flatMap { _ in chroma })
        try expectRed(code, .bytes(first + second))
        let separate = ["NV12": "NM12", "NV21": "NM21"]
        try expectRed(try #require(separate[code]), .bytes(first, second))
    }

    @Test(arguments: [("YU12", 2), ("422P", 1)])
    func planarFormatsKeepTheirColours(code: String, rows: Int) throws {
        let planes = [(81, 64 * 48), (90, 32 * 48 / rows), (240, 32 * 48 / rows)].map {
            [UInt8](repeating: UInt8($0.0), count: $0.1)
        }
        try expectRed(code, .bytes(planes[0] + planes[1] + planes[2]))
        if code == "YU12" { try expectRed("YM12", .bytes(planes[0], planes[1], planes[2])) }
    }

    @Test func greyIsGrey() throws {
        let testRun = CameraTestRun()
        try testRun.run("GREY", [.frames([.bytes([UInt8](repeating: 128, count: 64 * 48))])])
        let frame = try #require(try testRun.frames(width: 64, height: 48).first)
        #expect(abs(Int(frame.luma[30, 20]) - 126) <= 3)
        #expect(abs(Int(frame.cb[15, 10]) - 128) <= 2 && abs(Int(frame.cr[15, 10]) - 128) <= 2)
    }

    @Test func oddSizesAreMadeEven() throws {
        let testRun = CameraTestRun()
        try testRun.run(
            "GREY", width: 65, height: 49, [.frames([.bytes([UInt8](repeating: 128, count: 65 * 49))])])
        #expect(try testRun.frames(width: 64, height: 48).count == 1)
    }

    private func expectRed(_ code: String, _ frame: ReplayedCamera.Frame) throws {
        let testRun = CameraTestRun()
        try testRun.run(code, [.frames([frame])])
        #expect(testRun.failure?.reason == "the replay has ended")
        let frame = try #require(try testRun.frames(width: 64, height: 48).first, "\(code)")
        let (luma, cb, cr) = (frame.luma[30, 20], frame.cb[15, 10], frame.cr[15, 10])
        #expect(abs(Int(luma) - 81) <= 3 && abs(Int(cb) - 90) <= 3 && abs(Int(cr) - 240) <= 3, "\(code)")
    }
}
