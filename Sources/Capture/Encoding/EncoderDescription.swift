import Codecs
import Streams

/// A picture encoder and whether it works on this host, for people and machines.
public struct EncoderDescription: Equatable, Sendable {
    /// As `video.encoder` takes it.
    public let name: String
    /// Why it does not work, and what to do about it; `nil` for one that does.
    public let failure: SourceFailure?

    public init(name: String, failure: SourceFailure?) {
        self.name = name
        self.failure = failure
    }

    /// Opens all that `auto` knows, in its order, and tries each with one picture: some milliseconds each.
    public static func all(_ encoding: EncodingSettings = EncodingSettings()) -> [Self] {
        EncoderTestResult.all(encoding.video).map {
            Self(name: $0.encoder, failure: $0.failure.map(SourceFailure.init))
        }
    }
}
