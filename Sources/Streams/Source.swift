import RateControl

/// What a stream asks of its source: test card, file, pipe, camera.
///
/// The source publishes access units into the stream and knows no viewer. It may run on a thread of its own, as a
/// `SupervisedSource` does, or on an event loop. All requirements are thread-safe and do not block.
public protocol Source: AnyObject, Sendable {
    /// Requests a keyframe as soon as possible; no effect if the source has no encoder.
    func requestKeyframe()

    /// Makes the encoder follow what viewers can receive, from one of the next frames on; no effect if the source has no encoder.
    ///
    /// - Parameter order: `nil` for what is configured.
    func follow(_ order: EncoderOrder?)

    /// What the source's video encoder has done since the source was created; `nil` if it has no encoder.
    var status: SourceStatus? { get }
}

extension Source {
    public func follow(_ order: EncoderOrder?) {}
    public var status: SourceStatus? { nil }
}
