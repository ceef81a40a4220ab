import Streams

/// A camera of this host and the formats and controls that it offers, for display and for JSON.
public struct CameraDescription: Hashable, Sendable {
    /// The device node: `/dev/video0`.
    public let path: String
    /// The product's name.
    public let card: String
    public let driver: String
    public let bus: String
    /// Whether other devices can read its buffers as DMABUF; `nil` if the camera is in use, so the driver cannot be asked.
    public let exportsBuffers: Bool?
    public let modes: [Mode]
    public let controls: [Control]

    /// A format at one size or range of sizes.
    public struct Mode: Hashable, Sendable {
        /// The four-character code, as in the configuration key `camera.format`.
        public let format: String
        /// `1280×720`, or `2×2 to 1920×1080`.
        public let size: String
        /// `30 fps`, or `1 fps to 60 fps`.
        public let rates: [String]
        /// Whether Apus can decode or pass on this format.
        public let isReadable: Bool
        /// Whether libv4l2 converts to this format in software.
        public let isEmulated: Bool

        public init(format: String, size: String, rates: [String], isReadable: Bool, isEmulated: Bool) {
            (self.format, self.size, self.rates) = (format, size, rates)
            (self.isReadable, self.isEmulated) = (isReadable, isEmulated)
        }
    }

    public init(
        path: String, card: String, driver: String, bus: String, exportsBuffers: Bool?, modes: [Mode],
        controls: [Control]
    ) {
        (self.path, self.card, self.driver, self.bus) = (path, card, driver, bus)
        (self.exportsBuffers, self.modes, self.controls) = (exportsBuffers, modes, controls)
    }

    public struct Control: Hashable, Sendable {
        /// The name, as in the configuration key `camera.controls`.
        public let name: String
        public let value: String
        public let usual: String
        /// The values that the control accepts.
        public let choices: String

        public init(name: String, value: String, usual: String, choices: String) {
            (self.name, self.value, self.usual, self.choices) = (name, value, usual, choices)
        }
    }

    /// All cameras of this host, and the failures of those that could not be queried.
    public static func all() -> (cameras: [CameraDescription], failures: [SourceFailure]) {
        var (cameras, failures): ([CameraDescription], [SourceFailure]) = ([], [])
        for path in cameraNodes() {
            do throws(SourceFailure) {
                cameras.append(CameraDescription(try V4L2Device(path: path)))
            } catch  where error == CameraFailure.notACamera(path) {
                // Many cameras have a second device node, which delivers metadata of the frames.
                continue
            } catch {
                failures.append(error)
            }
        }
        return (cameras, failures)
    }

    /// The first camera that can capture now. It is closed again.
    public static func firstUsable() -> (path: String?, failures: [SourceFailure]) {
        var failures: [SourceFailure] = []
        for path in cameraNodes() {
            do throws(SourceFailure) {
                try tryCapture(path)
                return (path, failures)
            } catch  where error == CameraFailure.notACamera(path) {
                continue
            } catch {
                failures.append(error)
            }
        }
        return (nil, failures)
    }

    /// Opens the camera and starts it. This fails if another process uses the camera.
    private static func tryCapture(_ path: String) throws(SourceFailure) {
        let device = try V4L2Device(path: path)
        let offers = device.offers
        guard let choice = FormatChoice(of: offers, for: FormatChoice.RequestedMode(CameraSettings().encoding.video))
        else {
            throw CameraFailure.noFormat(path, offers.map(\.code))
        }
        _ = try device.configure(choice)
        try device.start()
    }
}

extension CameraDescription {
    init(_ device: V4L2Device) {
        self.init(
            path: device.path, card: device.identity.card, driver: device.identity.driver, bus: device.identity.bus,
            exportsBuffers: device.exportsBuffers, modes: device.offers.flatMap(Mode.all),
            controls: device.controls.map(Control.init))
    }
}

extension CameraDescription.Mode {
    static func all(of offer: FormatOffer) -> [Self] {
        offer.sizes.map { size in
            Self(
                format: offer.code.description, size: size.text, rates: size.intervals.map(\.text),
                isReadable: PixelFormat(code: offer.code) != nil, isEmulated: offer.isEmulated)
        }
    }
}

extension CameraDescription.Control {
    init(_ control: CameraControl) {
        name = control.name
        value = control.text(of: control.value)
        usual = control.text(of: control.defaultValue)
        choices = control.isReadOnly ? "read only" : control.choices
    }
}

extension CameraControl {
    /// A value in the configuration's notation.
    fileprivate func text(of value: Int64) -> String {
        switch kind {
        case .boolean: value == 0 ? "false" : "true"
        case .menu(let entries): entries[value] ?? "\(value)"
        case .integer: "\(value)"
        case .button, .other: ""
        }
    }

    fileprivate var choices: String {
        switch kind {
        case .boolean: "true, false"
        case .menu(let entries): entries.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        case .integer: "\(range.lowerBound) to \(range.upperBound)" + (step > 1 ? " by \(step)" : "")
        case .button: "true"
        case .other: "cannot be set"
        }
    }
}

extension SizeOffer {
    fileprivate var text: String {
        let smallest = "\(widths.lowest)×\(heights.lowest)"
        let isOne = widths.lowest == widths.highest && heights.lowest == heights.highest
        return isOne ? smallest : "\(smallest) to \(widths.highest)×\(heights.highest)"
    }
}

extension IntervalOffer {
    fileprivate var text: String {
        shortest == longest ? rateText(shortest) : "\(rateText(longest)) to \(rateText(shortest))"
    }
}
