import Streams

/// A camera of this host and what it offers, for people and machines.
public struct CameraDescription: Hashable, Sendable {
    /// The device node: `/dev/video0`.
    public let path: String
    /// The product's name.
    public let card: String
    public let driver: String
    public let bus: String
    /// Whether other devices can read its buffers, as DMABUF; `nil` where it cannot be asked, being in use.
    public let exportsBuffers: Bool?
    public let modes: [Mode]
    public let controls: [Control]

    /// A format at a size.
    public struct Mode: Hashable, Sendable {
        /// The four-character code, as `camera.format` takes it.
        public let format: String
        /// `1280×720`, or `2×2 to 1920×1080`.
        public let size: String
        /// `30 fps`, or `1 fps to 60 fps`.
        public let rates: [String]
        /// Whether Apus reads it.
        public let isReadable: Bool
        /// Whether libv4l2 makes it in software.
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
        /// As `camera.controls` takes it.
        public let name: String
        public let value: String
        public let usual: String
        /// What it takes.
        public let choices: String

        public init(name: String, value: String, usual: String, choices: String) {
            (self.name, self.value, self.usual, self.choices) = (name, value, usual, choices)
        }
    }

    /// All cameras of this host: those that can be looked at, and why others cannot.
    public static func all() -> (cameras: [CameraDescription], failures: [SourceFailure]) {
        var (cameras, failures): ([CameraDescription], [SourceFailure]) = ([], [])
        for path in cameraNodes() {
            do throws(SourceFailure) {
                cameras.append(CameraDescription(try V4L2Device(path: path)))
            } catch  where error == CameraFailure.noCamera(path) {
                // Many cameras have a second node, for data about their pictures.
                continue
            } catch {
                failures.append(error)
            }
        }
        return (cameras, failures)
    }

    /// The first camera from which a picture could be had now; it is closed again.
    public static func firstUsable() -> (path: String?, failures: [SourceFailure]) {
        var failures: [SourceFailure] = []
        for path in cameraNodes() {
            do throws(SourceFailure) {
                try tryOut(path)
                return (path, failures)
            } catch  where error == CameraFailure.noCamera(path) {
                continue
            } catch {
                failures.append(error)
            }
        }
        return (nil, failures)
    }

    /// Opens the camera and starts it: where another process has it, that fails.
    private static func tryOut(_ path: String) throws(SourceFailure) {
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
        usual = control.text(of: control.usual)
        choices = control.isReadOnly ? "read only" : control.choices
    }
}

extension CameraControl {
    /// A value as the configuration has it.
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
