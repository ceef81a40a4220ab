import Capture
import Delivery
import Logging
import Media
import RTSPServer
import Streams

/// A path that is served: its stream and its source. If the source is replaced, the stream and its viewers stay.
struct ServedPath: Sendable {
    let stream: Streams.Stream
    /// Passes the frames of its sources to the substreams of this path.
    private let fanOut = FrameFanOut()
    /// Where clients publish the stream; `nil` if its source is another one.
    private(set) var publishing: PublishingPoint?
    /// Encodes audio for viewers whose protocol cannot carry it.
    let companion: CompanionTranscoding
    private(set) var source: any PathSource
    private(set) var supervisor: SourceSupervisor
    /// The encoder counters of earlier sources.
    private var past: SourceStatus?
    private let pulls: PullLoops
    private let tracks: TrackDirectory
    private let absences: Absences
    private let log: Logger

    /// Creates the source without starting it.
    ///
    /// - Parameters:
    ///   - parent: the parent path of a substream.
    ///   - pulls: the loops that pull streams of other servers.
    ///   - tracks: the paths to which further video tracks of publishers go.
    ///   - absences: makes what is shown while the source is absent.
    init(
        _ path: Configuration.Path, of parent: Self?, on stream: Streams.Stream, pulls: PullLoops,
        tracks: TrackDirectory, absences: Absences, log: Logger
    ) {
        (self.stream, self.pulls, self.tracks, self.absences, self.log) = (stream, pulls, tracks, absences, log)
        companion = CompanionTranscoding(path.transcode, EncodingSettings(path).audio, log: log.of(stream))
        stream.viewerTranscoding = companion
        (publishing, source, supervisor) = Self.source(
            path, of: parent, on: stream, fanOut, pulls, tracks, absences, log: log)
    }

    /// The encoder counters of all its sources; `nil` if none of them has an encoder.
    var status: SourceStatus? {
        guard let past, let present = source.status else { return past ?? source.status }
        return past + present
    }

    /// The counters for the next status lines. Resets the stage times.
    func countsAndReset() -> StatusReport.Counts {
        StatusReport.Counts(published: stream.published, encoded: status, stages: stream.latencyTrace.takeSummary())
    }

    /// Stops the source and creates another, which must be started after the old one has stopped.
    ///
    /// - Returns: the supervisor of the old source.
    mutating func replaceSource(by path: Configuration.Path, of parent: Self?) -> SourceSupervisor {
        let former = supervisor
        former.stop()
        past = status
        (publishing, source, supervisor) = Self.source(
            path, of: parent, on: stream, fanOut, pulls, tracks, absences, log: log)
        return former
    }

    private static func point(
        _ path: Configuration.Path, on stream: Streams.Stream, _ transcoding: ReceptionTranscoding,
        _ tracks: TrackDirectory
    ) -> PublishingPoint? {
        switch path.source {
        case .publish:
            PublishingPoint(
                into: stream, override: path.publish.override, trust: path.clock, transcoding: transcoding,
                tracks: tracks)
        // The path of the main track decides which publisher may take over; its further tracks follow.
        case .track: PublishingPoint(into: stream, override: .always, trust: path.clock, transcoding: transcoding)
        default: nil
        }
    }

    private static func source(
        _ path: Configuration.Path, of parent: Self?, on stream: Streams.Stream, _ fanOut: FrameFanOut,
        _ pulls: PullLoops, _ tracks: TrackDirectory, _ absences: Absences, log: Logger
    ) -> (PublishingPoint?, any PathSource, SourceSupervisor) {
        let sourceLog = log.of(stream)
        let transcoding = ReceptionTranscoding(EncodingSettings(path), log: sourceLog)
        let point = point(path, on: stream, transcoding, tracks)
        let source = makeSource(
            path, fanOut: fanOut, parent: parent.map { ParentStream(stream: $0.stream, fanOut: $0.fanOut) },
            publishing: point, tracks: tracks, pulls: pulls, transcoding: transcoding, log: sourceLog)
        stream.demand.startMilliseconds = path.onDemand ? Int64(path.onDemandStartSeconds) * 1_000 : nil
        let supervisor = SourceSupervisor(
            source, into: stream, atEndOfInput: path.source == .standardInput ? .isFinal : .startsAgain,
            closingAfter: path.onDemand ? Int64(path.onDemandCloseSeconds) * 1_000 : nil,
            absence: absences.publisher(for: stream, path, log: sourceLog), log: log)
        return (path.source == .publish ? point : nil, source, supervisor)
    }
}

extension Logger {
    /// The log with the path of this stream.
    fileprivate func of(_ stream: Streams.Stream) -> Logger {
        var log = self
        log[metadataKey: "path"] = "\(stream.path)"
        return log
    }
}
