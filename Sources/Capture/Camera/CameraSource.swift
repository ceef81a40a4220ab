import Codecs
import Logging
import Media
import Reactor
import Streams

/// A camera: raw pictures and JPEG are coded here, H.264 that it codes itself passes through.
///
/// The driver's time of capture is the presentation time. Capture never queues: a frame for which a newer one is there
/// already is left out and counted. When the device fails, `run` throws, and its supervisor calls it again; viewers stay.
public final class CameraSource: Source {
    public let label: String
    private let path: String
    private let settings: CameraSettings
    private let log: Logger
    private let clock: PaceClock
    private let open: @Sendable () throws(SourceFailure) -> any CaptureDevice
    private let stopSignal = StopSignal()
    private let control = EncoderControl()

    /// The camera behind the device node `path`; opens nothing before it runs.
    public convenience init(path: String, settings: CameraSettings = CameraSettings(), log: Logger) {
        self.init(path: path, settings: settings, log: log, clock: .host) { () throws(SourceFailure) in
            try V4L2Device(path: path)
        }
    }

    /// The same on a device and a clock of the caller's choice.
    init(
        path: String, settings: CameraSettings, log: Logger, clock: PaceClock,
        open: @escaping @Sendable () throws(SourceFailure) -> any CaptureDevice
    ) {
        self.path = path
        self.settings = settings
        self.clock = clock
        self.open = open
        var log = log
        log[metadataKey: "camera"] = "\(path)"
        self.log = log
        label = "camera \(path)"
    }

    public func requestRandomAccess() { control.requestRandomAccess() }

    public var status: SourceStatus? {
        let status = control.status
        return status.pictureCount > 0 ? status : nil
    }

    public func stop() { stopSignal.raise() }

    public func run(into stream: Stream) throws(SourceFailure) {
        defer { stopSignal.consume() }
        let device = try open()
        let agreed = try agree(with: device)
        adjust(device)
        let coder = try coder(of: agreed.layout, interval: agreed.interval)
        var capture = CameraCapture(device, coder, stream: stream, control: control, clock: clock, log: log)
        try device.start()
        try capture.run(path: path, until: stopSignal)
    }

    /// Chooses a format, and says what came of it.
    private func agree(
        with device: any CaptureDevice
    ) throws(SourceFailure) -> (layout: FrameLayout, interval: FrameInterval) {
        let offers = device.offers
        let wish = FormatChoice.Wish(settings.encoding.video)
        let eligible = offers.filter { settings.format == nil || $0.code.description == settings.format }
        guard let choice = FormatChoice(of: eligible, for: wish) else {
            throw CameraFailure.noFormat(path, offers.map(\.code), wanted: settings.format)
        }
        let (layout, interval) = try device.configure(choice)
        let settled = FormatChoice(layout, interval)
        let difference = settled.difference(from: wish).map { "; \($0), this is the nearest" } ?? ""
        log.notice("capturing \(settled.description)\(difference)")
        return (layout, interval)
    }

    /// A control that cannot be set does not keep the picture away.
    private func adjust(_ device: any CaptureDevice) {
        guard !settings.controls.isEmpty else { return }
        let known = device.controls
        for (name, text) in settings.controls.sorted(by: { $0.key < $1.key }) {
            guard let control = known.first(where: { $0.name == CameraControl.name(of: name) }) else {
                let nearest = nearestName(to: name, among: known.map(\.name)).map { "did you mean \($0)?" }
                log.warning("the camera has no control \(name); \(nearest ?? "see `apus devices`")")
                continue
            }
            do throws(CameraControl.Refusal) {
                let value = try control.value(of: text)
                do throws(SourceFailure) { try device.set(control, to: value) } catch { log.warning("\(error.reason)") }
            } catch {
                log.warning("\(error.reason)")
            }
        }
    }

    private func coder(of layout: FrameLayout, interval: FrameInterval) throws(SourceFailure) -> any CameraCoder {
        if layout.format == .h264 { return PassedThroughPictures() }
        do throws(CodecFailure) {
            return try PictureCoder(layout, interval: interval, like: settings.encoding.video, control: control)
        } catch {
            throw SourceFailure(error)
        }
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

extension FormatChoice.Wish {
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
