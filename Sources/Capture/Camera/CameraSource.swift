import Codecs
import Logging
import Media
import Reactor
import Streams

/// A camera: raw pictures and JPEG are coded here, H.264 that it codes itself passes through.
///
/// The driver's time of capture is the presentation time. Capture never queues: a frame for which a newer one is there
/// already is left out and counted. When the device fails, `run` throws, and its supervisor calls it again; viewers stay.
public final class CameraSource: ReconfigurableSource {
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

    /// The camera behind the device node `path`; opens nothing before it runs.
    ///
    /// - Parameters:
    ///   - microphone: whose sound goes with the pictures.
    ///   - fanOut: is given the pictures too.
    public convenience init(
        path: String, settings: CameraSettings = CameraSettings(), microphone: Microphone? = nil,
        fanOut: FrameFanOut? = nil, log: Logger
    ) {
        self.init(path: path, settings: settings, microphone: microphone, fanOut: fanOut, log: log, clock: .host) {
            () throws(SourceFailure) in try V4L2Device(path: path)
        }
    }

    /// The same on a device and a clock of the caller's choice.
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

    public var status: SourceStatus? {
        let status = control.status
        return status.pictureCount > 0 ? status : nil
    }

    public func stop() { stopSignal.raise() }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer {
            stopSignal.consume()
            // Whatever feeds the stream next may have none to offer.
            fanOut?.offersFrames = false
        }
        // Where the camera is absent, the microphone is left alone.
        var camera: (any CaptureDevice)? = try open()
        guard let microphone else { return try capture(&camera, audioTrack: nil, into: stream) }
        let audioTrack = try microphone.track(cameraAudioTrack)
        try microphone.runAlongside(stream, track: cameraAudioTrack) { () throws(SourceFailure) in
            try capture(&camera, audioTrack: audioTrack, into: stream)
        }
    }

    /// Films until it is stopped; opens the camera anew where other settings want that.
    private func capture(
        _ camera: inout (any CaptureDevice)?, audioTrack: Track?, into stream: Stream
    ) throws(SourceFailure) {
        repeat {
            // The one from before is closed by now: a camera gives its pictures to one reader only.
            if let opened = camera.take() {
                try capture(opened, audioTrack: audioTrack, into: stream)
            } else {
                try capture(try open(), audioTrack: audioTrack, into: stream)
            }
        } while !stopSignal.isSet
    }

    private func capture(_ device: any CaptureDevice, audioTrack: Track?, into stream: Stream) throws(SourceFailure) {
        let settings = pendingSettings.begin()
        let agreed = try negotiate(with: device, settings)
        device.adjust(settings.controls, log: log)
        let pipeline = try pipeline(
            of: agreed.layout, interval: agreed.interval, hasEffects: settings.encoding.hasEffects, stream.clock)
        var capture = CameraCapture(
            device, pipeline, interval: agreed.interval, audioTrack: audioTrack, stream: stream, control: control,
            clock: clock,
            log: log)
        try device.start()
        try capture.run(path: path, pendingSettings, until: stopSignal)
    }

    /// Chooses a format, and says what came of it.
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
        let settled = FormatChoice(layout, interval)
        let difference = settled.difference(from: requested).map { "; \($0), this is the nearest" } ?? ""
        log.notice("capturing \(settled.description)\(difference)")
        return (layout, interval)
    }

    private func pipeline(
        of layout: FrameLayout, interval: FrameInterval, hasEffects: Bool, _ streamClock: StreamClock
    ) throws(SourceFailure) -> any CameraPipeline {
        if layout.format == .h264, !hasEffects {
            fanOut?.offersFrames = false
            return CameraPassthroughPipeline(control: control)
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
    /// Goes on with these settings; viewers stay. From any thread.
    ///
    /// Controls are set on the running camera. Another format, size or rate opens it anew, which takes as long as the camera
    /// takes. All else as `change(to:)` of the encoding.
    public func change(to settings: CameraSettings) {
        pendingSettings.change(to: settings)
        control.change(to: settings.encoding)
    }

    public func change(to encoding: EncodingSettings) {
        var settings = pendingSettings.settings
        settings.encoding = encoding
        change(to: settings)
    }
}

/// How a camera is used.
public struct CameraSettings: Hashable, Sendable {
    /// Its `video` says how to code, and which size and rate to ask for.
    public var encoding = EncodingSettings()
    /// The four-character code of the format to capture in, as `YUYV`; `nil` for the one that serves best.
    public var format: String?
    /// Values by the controls' names, as text: `["power_line_frequency": "50 Hz"]`.
    public var controls: [String: String] = [:]

    public init() {}
}

extension CameraSettings {
    /// The formats that may be chosen of. With effects, the camera's H.264 would have to be decoded: it comes last.
    func eligible(_ offers: [FormatOffer]) -> [FormatOffer] {
        if let format { return offers.filter { $0.code.description == format } }
        let uncoded = offers.filter { PixelFormat(code: $0.code).map { $0 != .h264 } == true }
        return !encoding.hasEffects || uncoded.isEmpty ? offers : uncoded
    }
}

extension FormatChoice.RequestedMode {
    init(_ video: VideoEncoder.Settings) {
        width = video.width
        height = video.height
        interval =
            FrameInterval(Int(video.frameRate.denominator), Int(video.frameRate.numerator)) ?? .thirtieth
    }
}

extension FrameInterval {
    private init(known denominator: Int) {
        numerator = 1
        self.denominator = denominator
    }

    static let thirtieth = FrameInterval(known: 30)
}

extension FormatChoice {
    /// What the driver settled on.
    fileprivate init(_ layout: FrameLayout, _ interval: FrameInterval) {
        (code, format, width, height) = (layout.code, layout.format, layout.width, layout.height)
        self.interval = interval
    }
}
