/// How an encoder did when it was opened and tried with one picture on this machine.
public struct EncoderTestResult: Hashable, Sendable {
    /// Its name in libavcodec: `h264_vaapi`.
    public let encoder: String
    /// Why it does not work, and what to do about it; `nil` for one that works.
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

    /// Tries all that `auto` knows, in its order, with pictures as in `settings`: some milliseconds each.
    public static func all(_ settings: VideoEncoder.Settings = .init()) -> [Self] {
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
