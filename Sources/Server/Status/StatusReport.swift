import Logging
import Media
import RTSPServer
import Reactor
import Streams
import Synchronization

/// Writes lines to the log, per stream and per event loop, that count the work since the last such lines, or since the start.
///
/// The lines are `key=value` pairs for users and scripts. Pairs without a value are omitted.
final class StatusReport: Sendable {
    /// The counters of a stream, since it was created.
    struct Counts {
        let published: Stream.Published
        /// `nil` if Apus does not encode the stream.
        let encoded: SourceStatus?
        /// How long frames took in each stage since the last lines.
        var stages: LatencyTrace.Summary = [:]
    }

    private let log: Logger
    private let last: Mutex<Snapshot>

    /// All counters at one time.
    private struct Snapshot {
        let instant: MonotonicTime
        /// By path.
        var streams: [String: Counts] = [:]
        var sent: [Server.Statistics] = []
    }

    /// - Parameter start: the time from which the first lines count.
    init(log: Logger, start: MonotonicTime) {
        self.log = log
        last = Mutex(Snapshot(instant: start))
    }

    /// Call this when the stream at `path` is removed: a later stream at this path counts from zero.
    func forget(_ path: String) {
        last.withLock { $0.streams[path] = nil }
    }

    /// Writes the lines.
    ///
    /// - Parameters:
    ///   - streams: the counters of all streams, by path.
    ///   - sent: the counters of all event loops.
    func write(_ streams: [String: Counts], _ sent: [Server.Statistics], at now: MonotonicTime) {
        let before = last.withLock { last in
            defer { last = Snapshot(instant: now, streams: streams, sent: sent) }
            return last
        }
        let seconds = Double(max(1, now - before.instant)) / 1_000_000_000
        for (path, counts) in streams.sorted(by: { $0.key < $1.key }) {
            let earlier = before.streams[path]
            var line = Self.line(counts.published.since(earlier?.published ?? .init()), seconds)
            line["path"] = "\(path)"
            if let encoded = counts.encoded { Self.add(encoded - (earlier?.encoded ?? .init()), to: &line) }
            log.notice("stream status", metadata: line)
            if !counts.stages.isEmpty { log.notice("stream stages", metadata: Self.line(counts.stages, path)) }
        }
        for (index, loop) in sent.enumerated() {
            let earlier = index < before.sent.count ? before.sent[index] : Server.Statistics()
            log.notice("loop status", metadata: Self.line(loop.since(earlier), ofLoop: index, seconds))
        }
    }

    private static func line(_ published: Stream.Published, _ seconds: Double) -> Logger.Metadata {
        [
            "seconds": formatted(seconds),
            "pictures": "\(published.pictureCount)",
            "kilobitsPerSecond": formatted(Double(published.byteCount) * 8 / 1000 / seconds),
        ]
    }

    /// In milliseconds.
    private static func line(_ stages: LatencyTrace.Summary, _ path: String) -> Logger.Metadata {
        var line: Logger.Metadata = ["path": "\(path)"]
        for (stage, spent) in stages {
            line["\(stage.rawValue)P50"] = formatted(spent.p50)
            line["\(stage.rawValue)P99"] = formatted(spent.p99)
        }
        return line
    }

    private static func add(_ encoded: SourceStatus, to line: inout Logger.Metadata) {
        line["skipped"] = "\(encoded.skippedCount)"
        line["quantizer"] = encoded.averageQuantizer.map(formatted)
    }

    private static func line(
        _ sent: Server.Statistics, ofLoop index: Int, _ seconds: Double
    ) -> Logger.Metadata {
        [
            "loop": "\(index)", "seconds": formatted(seconds), "packets": "\(sent.packets)", "bytes": "\(sent.bytes)",
            "messages": "\(sent.messages)", "systemCalls": "\(sent.systemCalls)", "units": "\(sent.units)",
            "droppedUnits": "\(sent.droppedUnits)", "refusedMessages": "\(sent.refusedMessages)",
            "retransmittedPackets": "\(sent.retransmittedPackets)",
        ]
    }

    /// With at most two decimals.
    private static func formatted(_ number: Double) -> Logger.MetadataValue {
        "\((number * 100).rounded() / 100)"
    }
}
