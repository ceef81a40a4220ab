/// A source that a supervisor runs on a thread that may block.
///
/// It owns no thread. Its supervisor calls `run`, and calls it again after a pause if it failed.
public protocol SupervisedSource: Source {
    /// A description for people, such as `test card 1280×720 at 30 fps`.
    var label: String { get }

    /// Announces its tracks, then publishes access units until `stop` is called or the input ends.
    ///
    /// It blocks the calling thread, returns when the input has ended or `stop` was called, and throws if it cannot continue.
    /// It may be called again after either.
    func run(into stream: Stream) throws(SourceFailure)

    /// Makes `run` return within 100 ms. It may be called on any thread, at any time, more than once.
    func stop()

    /// Whether a run that ends is nothing to report, because the source waits for another input from outside. Thread-safe.
    var waitsForInput: Bool { get }

    /// Whether the end of the input is final, so that `run` is not called again after it has returned. Thread-safe.
    var endsForGood: Bool { get }
}

extension SupervisedSource {
    public var endsForGood: Bool { false }
    public var waitsForInput: Bool { false }
}
