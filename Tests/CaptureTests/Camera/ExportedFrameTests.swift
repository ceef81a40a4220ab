import Codecs
import Media
import Reactor
import Streams
import TestSupport
import Testing

@testable import Capture
@testable import Codecs

/// Runs a camera in virtual time with memory that the encoder's device can read; 64×48, NV12.
private final class ExportTestRun {
    let stream: Stream
    let fanOut = FrameFanOut()
    let control: EncoderControl
    let lines = LoggedLines()
    private(set) var camera: ReplayedCamera
    private(set) var encoders: [ImportingEncoder] = []
    private let clock = ReplayClock()

    init(_ events: [ReplayedCamera.Event]) {
        control = EncoderControl(log: lines.log)
        stream = Stream(path: "/cam", epoch: clock.now.advanced(byMilliseconds: -1000))
        camera = ReplayedCamera([], clock: clock, events: events)
    }

    /// Runs the camera until its events end.
    func run(_ behaviour: ImportingEncoder.Behaviour = .reads()) throws {
        let layout = FrameLayout(
            code: FourCharacterCode("NV12"), format: .raw(.nv12, memory: .contiguous), width: 64, height: 48,
            strides: [64])
        let pipeline = try CameraEncodingPipeline(layout, interval: .thirtieth, control: control, fanOut: fanOut) {
            (settings, report) throws(CodecFailure) in
            try VideoEncoder(settings, report: report) { (_, settings) throws(CodecFailure) in
                let encoder = try ImportingEncoder(settings, behaviour)
                self.encoders.append(encoder)
                return encoder
            }
        }
        var capture = CameraCapture(
            camera, pipeline, interval: .thirtieth, audioTrack: nil, stream: stream, control: control,
            clock: clock.pace,
            log: lines.log)
        let end = #expect(throws: SourceFailure.self) {
            try capture.run(
                path: "/dev/replay", PendingCameraSettings(CameraSettings()), OpenCameraControls(), until: StopSignal())
        }
        #expect(end?.reason == "the replay has ended")
    }

    /// Whether the stream has exactly these grey frames, by luma.
    func shows(_ lumas: [Int]) throws -> Bool {
        let shown = try stream.frames(width: 64, height: 48)
        return shown.count == lumas.count
            && zip(shown, lumas).allSatisfy { frame, luma in
                // Checks both ends of each plane, because a frame read from a wrong place differs there.
                [frame.luma[0, 0], frame.luma[63, 47]].allSatisfy { abs(Int($0) - luma) <= 2 }
                    && [frame.cb[0, 0], frame.cr[31, 23]].allSatisfy { abs(Int($0) - 128) <= 2 }
            }
    }
}

@Suite struct ExportedFrameTests {
    private static let lumas = [40, 60, 80, 100, 120, 140]
    private static var frames: [ReplayedCamera.Event] { lumas.map { .frames([.nv12(UInt8($0))]) } }

    @Test func anEncoderThatReadsDriverMemoryReceivesNoCopies() throws {
        let testRun = ExportTestRun(Self.frames)
        try testRun.run()
        #expect(try testRun.shows(Self.lumas))
        #expect(testRun.encoders.map(\.importedCount) == [6])
        #expect(testRun.encoders.map(\.copiedCount) == [0])
        #expect(testRun.camera.takenCount == 0)
        #expect(testRun.control.status.pictureCount == 6)
        #expect(testRun.lines.all.isEmpty)
    }

    /// The import of the third frame is the first to fail, and that frame is also the requested keyframe.
    @Test func aFailedImportIsLoggedOnceAndFramesAreCopiedFromThenOn() throws {
        var events = Self.frames
        let testRun: ExportTestRun
        weak var running: ExportTestRun?
        events.insert(.action { running?.control.requestKeyframe() }, at: 2)
        testRun = ExportTestRun(events)
        running = testRun
        try testRun.run(.reads(limit: 2))
        #expect(try testRun.shows(Self.lumas))
        #expect(try testRun.stream.units().map(\.isKeyframe) == [true, false, true, false, false, false])
        #expect(testRun.encoders.map(\.importedCount) == [2])
        #expect(testRun.encoders.map(\.copiedCount) == [4])
        #expect(testRun.camera.exportCount == 3)
        #expect(testRun.camera.takenCount == 0)
        #expect(
            testRun.lines.all
                == ["notice: camera frames are copied for the encoder: this memory is out of reach"])
    }

    @Test func exportIsTriedOnceIfTheDriverDoesNotSupportIt() throws {
        let testRun = ExportTestRun(Self.frames)
        testRun.camera.exportsBuffers = false
        try testRun.run()
        #expect(try testRun.shows(Self.lumas))
        #expect(testRun.camera.exportCount == 1)
        #expect(testRun.lines.all.count == 1)
        #expect(testRun.lines.all.first?.contains("DMABUF") == true)
    }

    /// Six frames arrive, and the encoder would retain five.
    @Test func anEncoderThatRetainsFramesLeavesTheDriverABufferToFill() throws {
        let testRun = ExportTestRun(Self.frames)
        try testRun.run(.keeps(5))
        #expect(try testRun.shows(Self.lumas), "no buffer is refilled before it was read")
        #expect(testRun.camera.mostTaken == 3)
        #expect(testRun.encoders.map(\.copiedCount) == [2])
        #expect(testRun.camera.takenCount == 0)
        #expect(testRun.lines.all.isEmpty)
    }

    @Test func withEffectsFramesAreCopied() throws {
        var events = Self.frames
        weak var running: ExportTestRun?
        events.insert(
            .action {
                guard let running else { return }
                var settings = running.control.settings
                settings.filters = "negate"
                running.control.change(to: settings)
            }, at: 3)
        let testRun = ExportTestRun(events)
        running = testRun
        try testRun.run()
        #expect(testRun.encoders.map(\.importedCount) == [3])
        #expect(testRun.encoders.map(\.copiedCount) == [3])
    }

    @Test func framesAreCopiedWhileThereAreSubstreams() throws {
        var events = Self.frames
        weak var running: ExportTestRun?
        var subscriber: FrameFanOut.Subscriber?
        let doorbell = try Doorbell()
        events.insert(.action { subscriber.map { running?.fanOut.detach($0) } }, at: 4)
        events.insert(.action { subscriber = running?.fanOut.attach(doorbell) }, at: 2)
        let testRun = ExportTestRun(events)
        running = testRun
        try testRun.run()
        #expect(try testRun.shows(Self.lumas))
        #expect(testRun.encoders.map(\.importedCount) == [4])
        #expect(testRun.encoders.map(\.copiedCount) == [2])
        #expect(subscriber?.take() != nil)
    }

    @Test func aFrameThatIsTooShortIsNotExported() throws {
        let testRun = ExportTestRun([.frames([.nv12(40)]), .frames([.bytes([1, 2, 3])]), .frames([.nv12(60)])])
        try testRun.run()
        #expect(try testRun.shows([40, 60]))
        #expect(testRun.camera.exportCount == 2)
        #expect(testRun.lines.all.count == 1)
        #expect(testRun.lines.all.first?.contains(FrameFault.short.rawValue) == true)
    }

    @Test(arguments: ["NV12", "YUYV"])
    func aSoftwareEncoderNeverImports(code: String) throws {
        let testRun = CameraTestRun()
        try testRun.run(code, [.frames([code == "NV12" ? .nv12(50) : .yuyv(50)])])
        #expect(try testRun.units().count == 1)
        #expect(testRun.cameras.map(\.exportCount) == [0])
    }
}
