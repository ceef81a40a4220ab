import Capture
import FoundationEssentials
import Streams

/// The output of `apus devices`: the devices of this host that Apus can use, with the values for the configuration.
public struct DeviceReport: Encodable, Sendable {
    let cameras: [Camera]
    let microphones: [Microphone]
    /// In the order in which `auto` tries them.
    let encoders: [Encoder]
    /// Devices that cannot be examined, with a remedy for each.
    let problems: [String]

    struct Camera: Encodable, Sendable {
        /// The value for `source`.
        let source: String
        let name: String
        let driver: String
        let bus: String
        /// Whether other devices can read its buffers, as DMABUF; `nil` if the camera is in use, because then this is unknown.
        let exportsBuffers: Bool?
        let modes: [Mode]
        let controls: [Control]
    }

    struct Mode: Encodable, Sendable {
        let format: String
        let size: String
        let rates: [String]
        let isReadable: Bool
        let isEmulated: Bool
    }

    struct Control: Encodable, Sendable {
        let name: String
        let value: String
        let usual: String
        let choices: String
    }

    struct Microphone: Encodable, Sendable {
        /// The value for `audio.device`.
        let device: String
        let name: String
        /// In Hz.
        let sampleRates: [Int]
        let leastChannels: Int?
        let mostChannels: Int?
        /// Why it cannot be used now; `nil` if it can.
        let problem: String?
    }

    struct Encoder: Encodable, Sendable {
        /// The value for `video.encoder`.
        let encoder: String
        let works: Bool
        /// Why it does not work; `nil` if it does.
        let problem: String?
    }

    /// Examines all devices and tests all encoders, in some milliseconds each.
    public init() {
        let (cameras, failures) = CameraDescription.all()
        self.init(
            cameras: cameras, failures: failures, microphones: MicrophoneDescription.all(),
            encoders: EncoderDescription.all())
    }

    init(
        cameras: [CameraDescription], failures: [SourceFailure], microphones: [MicrophoneDescription] = [],
        encoders: [EncoderDescription] = []
    ) {
        self.cameras = cameras.map(Camera.init)
        self.microphones = microphones.map(Microphone.init)
        self.encoders = encoders.map {
            Encoder(encoder: $0.name, works: $0.failure == nil, problem: $0.failure.map(sentence))
        }
        problems = failures.map(sentence)
    }

    /// For programs: JSON with sorted keys.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Strings, booleans and lists of them can always be encoded.
        let data = (try? encoder.encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// For users.
    public var text: String {
        let none = cameras.isEmpty && problems.isEmpty ? ["no camera is connected\n"] : []
        let all = none + cameras.map(\.text) + problems.map { "\($0)\n" } + [microphonesText, encodersText]
        return all.joined(separator: "\n")
    }

    private var microphonesText: String {
        guard !microphones.isEmpty else { return "no microphone is connected\n" }
        return "microphones\n" + textTable([["device", "name", "Hz", "channels", ""]] + microphones.map(\.cells))
    }

    private var encodersText: String {
        "encoders, in the order in which auto tries them\n"
            + textTable(encoders.map { [$0.encoder, $0.works ? "works" : "does not work: \($0.problem ?? "")"] })
    }
}

/// A failure and its remedy, in one line.
private func sentence(_ failure: SourceFailure) -> String {
    failure.reason + (failure.remedy.isEmpty ? "" : "; \(failure.remedy)")
}

extension DeviceReport.Microphone {
    init(_ description: MicrophoneDescription) {
        device = description.name
        name = description.description
        sampleRates = description.sampleRates
        leastChannels = description.channelCounts?.lowerBound
        mostChannels = description.channelCounts?.upperBound
        problem = description.problem.map(sentence)
    }

    fileprivate var cells: [String] {
        let channels = leastChannels.flatMap { least in
            mostChannels.map { least == $0 ? "\(least)" : "\(least) to \($0)" }
        }
        return [device, name, sampleRates.map(String.init).joined(separator: " "), channels ?? "", problem ?? ""]
    }
}

extension DeviceReport.Camera {
    init(_ survey: CameraDescription) {
        source = survey.path
        name = survey.card
        driver = survey.driver
        bus = survey.bus
        exportsBuffers = survey.exportsBuffers
        modes = survey.modes.map {
            .init(
                format: $0.format, size: $0.size, rates: $0.rates, isReadable: $0.isReadable,
                isEmulated: $0.isEmulated)
        }
        controls = survey.controls.map { .init(name: $0.name, value: $0.value, usual: $0.usual, choices: $0.choices) }
    }

    fileprivate var text: String {
        let rows = modes.map { mode in
            let remark = mode.isReadable ? mode.isEmulated ? "converted by libv4l2" : "" : "not read by Apus"
            return [mode.format, mode.size, mode.rates.joined(separator: ", "), remark]
        }
        let settings = controls.map { [$0.name, $0.value, $0.choices] }
        let export = exportsBuffers.map { $0 ? "yes" : "no" } ?? "unknown while it is in use"
        return "\(source)  \(name) (\(driver), \(bus))\n  exports its buffers as DMABUF: \(export)\n"
            + textTable([["format", "size", "rates", ""]] + rows)
            + (settings.isEmpty ? "" : "\n" + textTable([["control", "value", "takes"]] + settings))
    }
}
