import Logging
import Media
import RTSPServer
import Reactor
import Streams
import Synchronization

/// One line in the log per stream and per event loop, with what was done since the last such lines, or since the start.
///
/// For people and for scripts that measure: `key=value` pairs, of which those without a value are left out.
final class StatusReport: Sendable {
    private let streams: [(stream: Stream, source: any Source)]
    private let log: Logger
    private let last: Mutex<Look>

    /// What the counters showed at one instant.
    private struct Look {
        let instant: MonotonicTime
        var published: [Stream.Published]
        var coded: [SourceStatus]
        var sent: [Server.Statistics]
    }

    /// - Parameter start: the instant from which the first lines count.
    init(_ streams: [(stream: Stream, source: any Source)], log: Logger, start: MonotonicTime) {
        self.streams = streams
        self.log = log
        last = Mutex(
            Look(
                instant: start, published: streams.map { _ in .init() }, coded: streams.map { _ in .init() }, sent: []))
    }

    /// Logs the lines; `sent` is what each loop has sent since it started.
    func write(_ sent: [Server.Statistics], at now: MonotonicTime) {
        let statuses = streams.map(\.source.status)
        let look = Look(
            instant: now, published: streams.map(\.stream.published), coded: statuses.map { $0 ?? .init() }, sent: sent)
        let before = last.withLock { last in
            defer { last = look }
            return last
        }
        let seconds = Double(max(1, now - before.instant)) / 1_000_000_000
        for index in streams.indices {
            var line = Self.line(look.published[index].since(before.published[index]), seconds)
            line["path"] = "\(streams[index].stream.path)"
            if statuses[index] != nil { Self.add(look.coded[index] - before.coded[index], to: &line) }
            log.notice("stream status", metadata: line)
        }
        for (index, loop) in sent.enumerated() {
            let earlier = index < before.sent.count ? before.sent[index] : Server.Statistics()
            log.notice("loop status", metadata: Self.line(loop.since(earlier), ofLoop: index, seconds))
        }
    }

    private static func line(_ published: Stream.Published, _ seconds: Double) -> Logger.Metadata {
        [
            "seconds": shown(seconds),
            "pictures": "\(published.pictureCount)",
            "kilobitsPerSecond": shown(Double(published.byteCount) * 8 / 1000 / seconds),
        ]
    }

    private static func add(_ coded: SourceStatus, to line: inout Logger.Metadata) {
        line["skipped"] = "\(coded.skippedCount)"
        line["quantizer"] = coded.averageQuantizer.map(shown)
    }

    private static func line(
        _ sent: Server.Statistics, ofLoop index: Int, _ seconds: Double
    ) -> Logger.Metadata {
        [
            "loop": "\(index)", "seconds": shown(seconds), "packets": "\(sent.packets)", "bytes": "\(sent.bytes)",
            "messages": "\(sent.messages)", "systemCalls": "\(sent.systemCalls)", "units": "\(sent.units)",
            "droppedUnits": "\(sent.droppedUnits)", "refusedMessages": "\(sent.refusedMessages)",
        ]
    }

    /// With two decimals at most.
    private static func shown(_ number: Double) -> Logger.MetadataValue {
        "\((number * 100).rounded() / 100)"
    }
}
