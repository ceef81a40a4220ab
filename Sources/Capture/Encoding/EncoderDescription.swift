import Codecs
import Streams

/// A video encoder and whether it works on this host, for display and for JSON.
public struct EncoderDescription: Equatable, Sendable {
    /// The name, as in the configuration key `video.encoder`.
    public let name: String
    /// Why it does not work, and the remedy; `nil` if it works.
    public let failure: SourceFailure?

    public init(name: String, failure: SourceFailure?) {
        self.name = name
        self.failure = failure
    }

    /// Tries all encoders that `auto` considers, in its order, with one frame each. Takes some milliseconds per encoder.
    public static func all(_ encoding: EncodingSettings = EncodingSettings()) -> [Self] {
        EncoderTestResult.all(encoding.video).map {
            Self(name: $0.encoder, failure: $0.failure.map(SourceFailure.init))
        }
    }
}
