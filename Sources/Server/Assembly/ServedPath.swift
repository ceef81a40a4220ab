import Capture
import Logging
import Media
import Streams

/// A path that is served: its stream, and the source that feeds it. The source may be replaced; the stream stays, and with
/// it the viewers.
struct ServedPath: Sendable {
    let stream: Streams.Stream
    /// Where its sources offer their pictures to the substreams of this path.
    private let fanOut = FrameFanOut()
    private(set) var source: any Source
    private(set) var supervisor: SourceSupervisor
    /// What the encoders of earlier sources have done.
    private var past: SourceStatus?
    private let log: Logger

    /// Starts nothing.
    ///
    /// - Parameter parent: what a substream is made of.
    init(_ path: Configuration.Path, of parent: Self?, on stream: Streams.Stream, log: Logger) {
        self.stream = stream
        self.log = log
        (source, supervisor) = Self.source(path, of: parent, on: stream, fanOut, log: log)
    }

    /// What the encoders of all its sources have done; `nil` where none of them has one.
    var status: SourceStatus? {
        guard let past, let present = source.status else { return past ?? source.status }
        return past + present
    }

    /// For the next lines of status: what stages took begins anew.
    func countsAndReset() -> StatusReport.Counts {
        StatusReport.Counts(published: stream.published, encoded: status, stages: stream.latencyTrace.takeSummary())
    }

    /// Ends the source, and makes another, which is to be started after the one before.
    ///
    /// - Returns: the supervisor of the one before.
    mutating func replaceSource(by path: Configuration.Path, of parent: Self?) -> SourceSupervisor {
        let former = supervisor
        former.stop()
        past = status
        (source, supervisor) = Self.source(path, of: parent, on: stream, fanOut, log: log)
        return former
    }

    private static func source(
        _ path: Configuration.Path, of parent: Self?, on stream: Streams.Stream, _ fanOut: FrameFanOut, log: Logger
    ) -> (any Source, SourceSupervisor) {
        var sourceLog = log
        sourceLog[metadataKey: "path"] = "\(stream.path)"
        let source = makeSource(
            path, fanOut: fanOut, parent: parent.map { ParentStream(stream: $0.stream, fanOut: $0.fanOut) },
            log: sourceLog)
        let supervisor = SourceSupervisor(
            source, into: stream, atEndOfInput: path.source == .standardInput ? .isFinal : .startsAgain, log: log)
        return (source, supervisor)
    }
}
