import Codecs
import Logging
import Media
import Streams
import Synchronization
import Testing

@testable import Capture

/// Runs a camera in virtual time on replayed events, and collects what its stream contains.
final class CameraTestRun {
    let clock = ReplayClock()
    let stream: Stream
    private(set) var failure: SourceFailure?
    private var wanted = CameraSettings()
    private var source: CameraSource?
    private(set) var cameras: [ReplayedCamera] = []

    init() {
        stream = Stream(path: "/cam", epoch: clock.now.advanced(byMilliseconds: -1000))
    }

    /// Runs a camera once for each of `runs`, until its events end.
    func run(
        _ code: String, width: Int = 64, height: Int = 48, controls: [CameraControl] = [],
        settings: [String: String] = [:], format: String? = nil, starts: Int? = nil,
        timestampOverlay: TimestampOverlay.Corner? = nil, range: ColourRange = .limited,
        _ runs: [ReplayedCamera.Event]...
    ) throws {
        let offer = FormatOffer.small(code, width: width, height: height)
        var camera = CameraSettings()
        camera.controls = settings
        camera.format = format
        camera.encoding.timestampOverlay = timestampOverlay
        wanted = camera
        var log = Logger(label: "test")
        log.logLevel = .critical
        let clock = clock
        let pending = Mutex(runs.map { UncheckedEvents(events: $0) })
        let devices = Mutex<[UncheckedCamera]>([])
        let source = CameraSource(path: "/dev/replay", settings: camera, log: log, clock: clock.pace) {
            let events = pending.withLock { $0.removeFirst().events }
            let device = ReplayedCamera([offer], controls: controls, clock: clock, events: events)
            device.range = range
            devices.withLock { $0.append(UncheckedCamera(device: device)) }
            return device
        }
        self.source = source
        for _ in 0..<(starts ?? runs.count) {
            do throws(SourceFailure) { try source.run(into: stream) } catch { failure = error }
        }
        cameras = devices.withLock { $0.map(\.device) }
    }

    func change(_ edit: (inout CameraSettings) -> Void) {
        edit(&wanted)
        source?.change(to: wanted)
    }

    func requestKeyframe() { source?.requestKeyframe() }
    func stop() { source?.stop() }
    var status: SourceStatus? { source?.status }
    var controls: [AdjustableControl]? { source?.controls }

    func units() throws -> [AccessUnit] { try stream.units() }

    func frames(width: Int, height: Int) throws -> [VideoFrame] {
        try stream.frames(width: width, height: height)
    }
}

extension Stream {
    /// All units since the last announcement.
    func units() throws -> [AccessUnit] {
        let feed = try #require(self.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        return joinPoint(in: feed).history
    }

    /// All frames of the stream, decoded to I420.
    func frames(width: Int, height: Int) throws -> [VideoFrame] {
        let decoder = try VideoDecoder()
        let decoded = try units().flatMap { try decoder.decode($0) } + decoder.finish()
        return try decoded.map { try Scaler(width: width, height: height).scale($0) }
    }
}

/// Tests run a source on their own thread, so these are never shared.
struct UncheckedEvents: @unchecked Sendable { let events: [ReplayedCamera.Event] }
private struct UncheckedCamera: @unchecked Sendable { let device: ReplayedCamera }

extension FormatOffer {
    /// One size at 30 frames per second.
    static func small(_ code: String, width: Int = 64, height: Int = 48) -> Self {
        FormatOffer(
            code: FourCharacterCode(code), isEmulated: false,
            sizes: [SizeOffer(width: width, height: height, intervals: [IntervalOffer(.thirtieth)])])
    }
}

extension ReplayedCamera.Frame {
    /// A grey frame in YUYV, 64×48.
    static func yuyv(_ luma: UInt8, age: Int64? = 5_000_000, isDamaged: Bool = false) -> Self {
        Self(
            planes: [(0..<64 * 48 * 2).map { $0 % 2 == 0 ? luma : 128 }], ageNanoseconds: age, isDamaged: isDamaged)
    }

    /// A grey frame in NV12, 64×48.
    static func nv12(_ luma: UInt8) -> Self {
        Self(planes: [[UInt8](repeating: luma, count: 64 * 48) + [UInt8](repeating: 128, count: 64 * 24)])
    }

    static func bytes(_ planes: [UInt8]...) -> Self { Self(planes: planes) }
}

extension LumaFrame {
    /// The number in the only timestamp overlay of the image.
    var frameNumber: UInt32? {
        let codes = timestampOverlays
        return codes.count == 1 ? codes[0].code.frameNumber : nil
    }
}
