import Streams

/// The source of a substream without an existing parent path: it always fails.
final class MissingParentStream: Source {
    let label: String

    init(label: String) {
        self.label = label
    }

    func run(into stream: Stream) throws(SourceFailure) {
        throw SourceFailure(
            reason: "\(label) names a path that does not exist", remedy: "name one of the paths of the configuration")
    }

    func stop() {}
    func requestKeyframe() {}
}
