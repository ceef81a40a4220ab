/// Publishes access units into a stream: test card, file, pipe, camera.
///
/// A source owns no thread and knows no viewer. Its supervisor calls `run` on a thread that may block, and calls it again after
/// a pause if it failed.
public protocol Source: AnyObject, Sendable {
    /// A description for people, such as `test card 1280×720 at 30 fps`.
    var label: String { get }

    /// Announces its tracks, then publishes access units until `stop` is called or the input ends.
    ///
    /// It blocks the calling thread, returns when the input has ended or `stop` was called, and throws if it cannot continue.
    /// It may be called again after either.
    func run(into stream: Stream) throws(SourceFailure)

    /// Makes `run` return within 100 ms. It may be called on any thread, at any time, more than once.
    func stop()

    /// Requests a keyframe as soon as possible; no effect if the source has no encoder. Thread-safe.
    func requestKeyframe()

    /// What the source's video encoder has done in all runs; `nil` if it has no encoder. Thread-safe.
    var status: SourceStatus? { get }

    /// Whether the end of the input is final, so that `run` is not called again after it has returned. Thread-safe.
    var endsForGood: Bool { get }
}

extension Source {
    public var endsForGood: Bool { false }
    public var status: SourceStatus? { nil }
}

/// Why a source cannot continue, and what its owner can do about it.
public struct SourceFailure: Error, Equatable, Sendable {
    /// One sentence, without a full stop: `no file at film.mp4`.
    public let reason: String
    /// What to do, as an instruction to the reader; empty if nothing can be done.
    public let remedy: String

    public init(reason: String, remedy: String = "") {
        self.reason = reason
        self.remedy = remedy
    }
}

extension SourceFailure: CustomStringConvertible {
    public var description: String { remedy.isEmpty ? reason : "\(reason); \(remedy)" }
}
