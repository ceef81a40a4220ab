/// The result of choosing an encoder, for the log.
public struct EncoderReport: Hashable, Sendable {
    /// The reason for the choice.
    public enum Occasion: Hashable, Sendable {
        /// `auto` tried the encoders in order.
        case automatic
        /// The named encoder does not work.
        case fallback
        /// The encoder in use has failed.
        case failure
    }

    public let occasion: Occasion
    /// The encoder that is used from now on.
    public let encoder: String
    /// The encoders that were rejected, with reasons. If the encoder in use has failed, it comes first.
    public let rejected: [EncoderTestResult]

    /// The log message: `libx264 (software) encodes the video; no hardware encoder works here, see: apus devices`.
    public var sentence: String {
        switch occasion {
        case .automatic where isSoftware:
            "\(encoder) (software) encodes the video; no hardware encoder works here, see: apus devices"
        case .automatic: "\(encoder) encodes the video"
        case .fallback: "\(encoder) encodes the video instead; \(reasons)"
        case .failure: "the encoder failed; \(encoder) continues; \(reasons)"
        }
    }

    /// Why the rejected encoders are not used: `h264_nvenc: Cannot load libcuda.so.1; h264_qsv: …`.
    public var reasons: String { rejected.map(\.sentence).joined(separator: "; ") }

    /// libavcodec names its wrappers of software encoders after their libraries.
    private var isSoftware: Bool { encoder.hasPrefix("lib") }
}
