import Streams

/// In the place of a substream of nothing: fails, and says why.
final class MissingParentStream: Source {
    let label: String

    init(label: String) {
        self.label = label
    }

    func run(into stream: Stream) throws(SourceFailure) {
        throw SourceFailure(reason: "there is no path for \(label)", remedy: "name one of the paths")
    }

    func stop() {}
    func requestKeyframe() {}
}
