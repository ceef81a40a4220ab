import Codecs
import Media
import Reactor
import Streams
import Testing

@testable import Capture
@testable import Codecs

/// A camera that captures into memory which an encoder's device can read, in virtual time; 64×48, NV12.
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
    func film(_ manner: ImportingEncoder.Behaviour = .reads()) throws {
        let layout = FrameLayout(
            code: FourCharacterCode("NV12"), format: .raw(.nv12, memory: .contiguous), width: 64, height: 48,
            strides: [64])
        let pipeline = try CameraEncodingPipeline(layout, interval: .thirtieth, control: control, fanOut: fanOut) {
            (settings, report) throws(CodecFailure) in
            try VideoEncoder(settings, report: report) { (_, settings) throws(CodecFailure) in
                let encoder = try ImportingEncoder(settings, manner)
                self.encoders.append(encoder)
                return encoder
            }
        }
        var capture = CameraCapture(
            camera, pipeline, interval: .thirtieth, audioTrack: nil, stream: stream, control: control,
            clock: clock.pace,
            log: lines.log)
        let end = #expect(throws: SourceFailure.self) {
            try capture.run(path: "/dev/replay", PendingCameraSettings(CameraSettings()), until: StopSignal())
        }
        #expect(end?.reason == "the replay has ended")
    }

    /// Whether the stream has grey pictures of these lumas, and no others.
    func shows(_ lumas: [Int]) throws -> Bool {
        let shown = try stream.pictures(width: 64, height: 48)
        return shown.count == lumas.count
            && zip(shown, lumas).allSatisfy { picture, luma in
                // Both ends of each plane: a picture that is read from another place differs there.
                [picture.luma[0, 0], picture.luma[63, 47]].allSatisfy { abs(Int($0) - luma) <= 2 }
                    && [picture.cb[0, 0], picture.cr[31, 23]].allSatisfy { abs(Int($0) - 128) <= 2 }
            }
    }
}

@Suite struct ExportedFrameTests {
    private static let lumas = [40, 60, 80, 100, 120, 140]
    private static var frames: [ReplayedCamera.Event] { lumas.map { .frames([.nv12(UInt8($0))]) } }

    @Test func anEncoderThatReadsTheDriversMemoryIsGivenNoCopies() throws {
        let exporting = ExportTestRun(Self.frames)
        try exporting.film()
        #expect(try exporting.shows(Self.lumas))
        #expect(exporting.encoders.map(\.importedCount) == [6])
        #expect(exporting.encoders.map(\.copiedCount) == [0])
        #expect(exporting.camera.takenCount == 0)
        #expect(exporting.control.status.pictureCount == 6)
        #expect(exporting.lines.all.isEmpty)
    }

    /// The third picture is the first that is refused, and the one that a viewer waits for.
    @Test func aRefusalIsOneLineAndFromThenOnPicturesAreCopied() throws {
        var events = Self.frames
        let exporting: ExportTestRun
        weak var running: ExportTestRun?
        events.insert(.action { running?.control.requestKeyframe() }, at: 2)
        exporting = ExportTestRun(events)
        running = exporting
        try exporting.film(.reads(limit: 2))
        #expect(try exporting.shows(Self.lumas))
        #expect(try exporting.stream.units().map(\.isKeyframe) == [true, false, true, false, false, false])
        #expect(exporting.encoders.map(\.importedCount) == [2])
        #expect(exporting.encoders.map(\.copiedCount) == [4])
        #expect(exporting.camera.exportCount == 3)
        #expect(exporting.camera.takenCount == 0)
        #expect(
            exporting.lines.all
                == ["notice: the camera's pictures are copied for the encoder: this memory is too far away"])
    }

    @Test func aDriverThatDoesNotExportIsAskedOnce() throws {
        let exporting = ExportTestRun(Self.frames)
        exporting.camera.exportsBuffers = false
        try exporting.film()
        #expect(try exporting.shows(Self.lumas))
        #expect(exporting.camera.exportCount == 1)
        #expect(exporting.lines.all.count == 1)
        #expect(exporting.lines.all.first?.contains("DMABUF") == true)
    }

    /// Six frames come, and the encoder would keep five.
    @Test func anEncoderThatKeepsPicturesLeavesTheDriverABufferToFill() throws {
        let exporting = ExportTestRun(Self.frames)
        try exporting.film(.keeps(5))
        #expect(try exporting.shows(Self.lumas), "nothing is filled anew before it was read")
        #expect(exporting.camera.mostTaken == 3)
        #expect(exporting.encoders.map(\.copiedCount) == [2])
        #expect(exporting.camera.takenCount == 0)
        #expect(exporting.lines.all.isEmpty)
    }

    @Test func effectsWantThePicturesInMemory() throws {
        var events = Self.frames
        weak var running: ExportTestRun?
        events.insert(
            .action {
                guard let running else { return }
                var settings = running.control.settings
                settings.filters = "negate"
                running.control.change(to: settings)
            }, at: 3)
        let exporting = ExportTestRun(events)
        running = exporting
        try exporting.film()
        #expect(exporting.encoders.map(\.importedCount) == [3])
        #expect(exporting.encoders.map(\.copiedCount) == [3])
    }

    @Test func substreamsWantThePicturesInMemoryAsLongAsThereAreAny() throws {
        var events = Self.frames
        weak var running: ExportTestRun?
        var subscriber: FrameFanOut.Subscriber?
        let doorbell = try Doorbell()
        events.insert(.action { subscriber.map { running?.fanOut.detach($0) } }, at: 4)
        events.insert(.action { subscriber = running?.fanOut.attach(doorbell) }, at: 2)
        let exporting = ExportTestRun(events)
        running = exporting
        try exporting.film()
        #expect(try exporting.shows(Self.lumas))
        #expect(exporting.encoders.map(\.importedCount) == [4])
        #expect(exporting.encoders.map(\.copiedCount) == [2])
        #expect(subscriber?.take() != nil)
    }

    @Test func aFrameThatIsTooShortIsNotExported() throws {
        let exporting = ExportTestRun([.frames([.nv12(40)]), .frames([.bytes([1, 2, 3])]), .frames([.nv12(60)])])
        try exporting.film()
        #expect(try exporting.shows([40, 60]))
        #expect(exporting.camera.exportCount == 2)
        #expect(exporting.lines.all.count == 1)
        #expect(exporting.lines.all.first?.contains(FrameFault.short.rawValue) == true)
    }

    @Test(arguments: ["NV12", "YUYV"])
    func anEncoderOnTheProcessorNeverAsks(code: String) throws {
        let filming = CameraTestRun()
        try filming.film(code, [.frames([code == "NV12" ? .nv12(50) : .yuyv(50)])])
        #expect(try filming.units().count == 1)
        #expect(filming.cameras.map(\.exportCount) == [0])
    }
}
