/// The result of opening an encoder on this machine and encoding one frame with it.
public struct EncoderTestResult: Hashable, Sendable {
    /// The encoder's name in libavcodec, such as `h264_vaapi`.
    public let encoder: String
    /// The reason why it does not work, and the remedy; `nil` if it works.
    public let failure: CodecFailure?

    public init(encoder: String, failure: CodecFailure?) {
        self.encoder = encoder
        self.failure = failure
    }

    public var works: Bool { failure == nil }

    /// `h264_nvenc: Cannot load libcuda.so.1`, without a full stop.
    var sentence: String {
        guard let failure else { return "\(encoder) works" }
        return failure.reason.contains(encoder) ? failure.reason : "\(encoder): \(failure.reason)"
    }

    /// Tests all encoders of `auto`, in order, with frames as in `settings`. This takes some milliseconds per encoder.
    public static func all(_ settings: VideoEncoderSettings = .init()) -> [Self] {
        EncoderModel.automatic.map { model in
            do throws(CodecFailure) {
                _ = try LibavEncoder(tested: model, settings)
                return Self(encoder: model.name, failure: nil)
            } catch {
                return Self(encoder: model.name, failure: error)
            }
        }
    }
}
