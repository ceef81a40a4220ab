import Codecs
import Logging
import Media
import RateControl
import Reactor
import Streams

/// A camera: raw frames and JPEG are encoded here; H.264 from the camera's own encoder passes through.
///
/// The driver's capture time is the presentation time. Capture never queues: if a newer frame is available, the older one is
/// dropped and counted. If the device fails, `run` throws and the supervisor calls it again; viewers stay connected.
public final class CameraSource: SupervisedSource {
    public let label: String
    private let path: String
    private let microphone: Microphone?
    private let fanOut: FrameFanOut?
    private let log: Logger
    private let clock: PaceClock
    private let open: @Sendable () throws(SourceFailure) -> any CaptureDevice
    private let stopSignal = StopSignal()
    private let pendingSettings: PendingCameraSettings
    private let control: EncoderControl
    private let openControls = OpenCameraControls()

    /// The camera at the device node `path`, which is not opened before `run`.
    ///
    /// - Parameters:
    ///   - microphone: its audio becomes the stream's second track.
    ///   - fanOut: receives the frames for substreams.
    public convenience init(
        path: String, settings: CameraSettings = CameraSettings(), microphone: Microphone? = nil,
        fanOut: FrameFanOut? = nil, log: Logger
    ) {
        self.init(path: path, settings: settings, microphone: microphone, fanOut: fanOut, log: log, clock: .host) {
            () throws(SourceFailure) in try V4L2Device(path: path)
        }
    }

    /// A camera with the given clock and device, for tests.
    init(
        path: String, settings: CameraSettings, microphone: Microphone? = nil, fanOut: FrameFanOut? = nil, log: Logger,
        clock: PaceClock, open: @escaping @Sendable () throws(SourceFailure) -> any CaptureDevice
    ) {
        (self.path, self.microphone, self.fanOut) = (path, microphone, fanOut)
        pendingSettings = PendingCameraSettings(settings)
        self.clock = clock
        self.open = open
        var log = log
        log[metadataKey: "camera"] = "\(path)"
        self.log = log
        control = EncoderControl(settings.encoding, log: log)
        label = "camera \(path)" + (microphone.map { ", microphone \($0.device)" } ?? "")
    }

    public func requestKeyframe() { control.requestKeyframe() }

    public func follow(_ order: EncoderOrder?) { control.follow(order) }

    public var status: SourceStatus? {
        let status = control.status
        return status.pictureCount > 0 ? status : nil
    }

    /// The controls that can be set; `nil` while the camera is not open. Thread-safe.
    public var controls: [AdjustableControl]? { openControls.list }

    public func stop() { stopSignal.raise() }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer {
            stopSignal.consume()
            // The stream's next source may have no frames to offer.
            fanOut?.offersFrames = false
        }
        // The microphone is not opened if the camera is absent.
        var camera: (any CaptureDevice)? = try open()
        guard let microphone else { return try capture(&camera, audioTrack: nil, into: stream) }
        let audioTrack = try microphone.track(cameraAudioTrack)
        try microphone.runAlongside(stream, track: cameraAudioTrack) { () throws(SourceFailure) in
            try capture(&camera, audioTrack: audioTrack, into: stream)
        }
    }

    /// Captures until `stop` is called; reopens the camera if new settings require it.
    private func capture(
        _ camera: inout (any CaptureDevice)?, audioTrack: Track?, into stream: Stream
    ) throws(SourceFailure) {
        repeat {
            // The previous device is closed by now: a camera streams to one reader only.
            if let opened = camera.take() {
                try capture(opened, audioTrack: audioTrack, into: stream)
            } else {
                try capture(try open(), audioTrack: audioTrack, into: stream)
            }
        } while !stopSignal.isSet
    }

    private func capture(_ device: any CaptureDevice, audioTrack: Track?, into stream: Stream) throws(SourceFailure) {
        let settings = pendingSettings.begin()
        let negotiated = try negotiate(with: device, settings)
        device.adjust(settings.controls, log: log)
        openControls.read(from: device)
        defer { openControls.clear() }
        let pipeline = try pipeline(
            of: negotiated.layout, interval: negotiated.interval, hasEffects: settings.encoding.hasEffects, stream.clock
        )
        var capture = CameraCapture(
            device, pipeline, interval: negotiated.interval, audioTrack: audioTrack, stream: stream, control: control,
            clock: clock,
            log: log)
        try device.start()
        try capture.run(path: path, pendingSettings, openControls, until: stopSignal)
    }

    /// Chooses a format and logs what the driver has accepted.
    private func negotiate(
        with device: any CaptureDevice, _ settings: CameraSettings
    ) throws(SourceFailure) -> (layout: FrameLayout, interval: FrameInterval) {
        let offers = device.offers
        let requested = FormatChoice.RequestedMode(settings.encoding.video)
        let eligible = settings.eligible(offers)
        guard let choice = FormatChoice(of: eligible, for: requested) else {
            throw CameraFailure.noFormat(path, offers.map(\.code), wanted: settings.format)
        }
        let (layout, interval) = try device.configure(choice)
        let accepted = FormatChoice(layout, interval)
        let difference = accepted.difference(from: requested).map { "; \($0), and this is the nearest mode" } ?? ""
        log.notice("capturing \(accepted.description)\(difference)")
        return (layout, interval)
    }

    private func pipeline(
        of layout: FrameLayout, interval: FrameInterval, hasEffects: Bool, _ streamClock: StreamClock
    ) throws(SourceFailure) -> any CameraPipeline {
        if let format = CameraPassthroughPipeline.Format(layout.format), !hasEffects {
            fanOut?.offersFrames = false
            return CameraPassthroughPipeline(format, control: control)
        }
        do throws(CodecFailure) {
            return try CameraEncodingPipeline(
                layout, interval: interval, control: control, fanOut: fanOut, clock: clock, streamClock: streamClock)
        } catch {
            throw SourceFailure(error)
        }
    }
}

extension CameraSource {
    /// Continues with these settings; viewers stay connected. May be called from any thread.
    ///
    /// Controls are set on the running camera. Another format, size or frame rate reopens it, which takes as long as the camera
    /// takes. For the encoding see `ReconfigurableSource.change(to:)`.
    public func change(to settings: CameraSettings) {
        pendingSettings.change(to: settings)
        control.change(to: settings.encoding)
    }
}
