/// What happened in the choice of an encoder, in one line for the log.
public struct EncoderReport: Hashable, Sendable {
    /// Why there was something to choose.
    public enum Occasion: Hashable, Sendable {
        /// `auto` has tried them in order.
        case automatic
        /// The named encoder does not work.
        case fallback
        /// The one that was running has failed.
        case failure
    }

    public let occasion: Occasion
    /// The encoder that goes on.
    public let encoder: String
    /// Those before it, and why not they; the one that failed while running comes first.
    public let rejected: [EncoderTestResult]

    /// `libx264 codes the picture; h264_nvenc: Cannot load libcuda.so.1`.
    public var sentence: String {
        let reasons = rejected.map { "; \($0.sentence)" }.joined()
        switch occasion {
        case .automatic: return "\(encoder) codes the picture\(reasons)"
        case .fallback: return "\(encoder) codes the picture instead\(reasons)"
        case .failure: return "the encoder failed, and \(encoder) goes on\(reasons)"
        }
    }
}
