/// What publishes access units into a stream: test card, file, pipe; later camera, publisher, pull.
///
/// A source owns no thread and knows no viewer. Whoever supervises it calls `run` on a thread that may block,
/// and calls it again, after a pause, when it failed.
public protocol Source: AnyObject, Sendable {
    /// What it is, for people: `test card 1280×720 at 30 fps`.
    var label: String { get }

    /// Announces its tracks, then publishes access units until `stop` is called or the input ends.
    ///
    /// Blocks the calling thread. It returns when the input ended or `stop` was called, and throws when it cannot go on.
    /// It may be called again after either.
    func run(into stream: Stream) throws(SourceFailure)

    /// Makes `run` return within 100 ms. From any thread, at any time, more than once.
    func stop()

    /// Asks for a random access point as soon as possible; without effect where the source owns no encoder. From any thread.
    func requestKeyframe()

    /// What its picture encoder has done over all runs; `nil` where it has none. From any thread.
    var status: SourceStatus? { get }

    /// Whether the end of its input is final, so that `run` is not called again after it returned. From any thread.
    var endsForGood: Bool { get }
}

extension Source {
    public var endsForGood: Bool { false }
    public var status: SourceStatus? { nil }
}

/// Why a source cannot go on, and what its owner can do about it.
public struct SourceFailure: Error, Equatable, Sendable {
    /// One sentence, without a full stop: `no file at film.mp4`.
    public let reason: String
    /// What to do, as an order to the reader; empty where there is nothing.
    public let remedy: String

    public init(reason: String, remedy: String = "") {
        self.reason = reason
        self.remedy = remedy
    }
}

extension SourceFailure: CustomStringConvertible {
    public var description: String { remedy.isEmpty ? reason : "\(reason); \(remedy)" }
}
