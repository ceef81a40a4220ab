import FoundationEssentials
import HTTPServer
import MP4
import Media
import RTSP
import Reactor
import SRTServer
import Streams

/// What the server knows of its streams, for clients of HTTP.
struct Catalog: StreamCatalog {
    /// The server, as long as it runs.
    weak let assembly: Assembly?

    func streams(_ receive: @escaping @Sendable ([CatalogStream]) -> Void) {
        guard let assembly else { return receive([]) }
        Task(executorPreference: assembly.tasks) {
            receive(await assembly.streamReports().map(CatalogStream.init))
        }
    }

    func viewers(of path: String, _ receive: @escaping @Sendable ([UInt8]) -> Void) {
        guard let assembly else { return receive(Array("[]".utf8)) }
        Task(executorPreference: assembly.tasks) {
            receive(Self.json(await assembly.servers.viewers(at: .now()).filter { $0.path == path }))
        }
    }

    func events(waking waker: any Waker) -> EventSubscription? { assembly?.events.subscribe(waking: waker) }

    /// The value as JSON, with keys in the same order each time.
    fileprivate static func json(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers that JSON cannot express do not occur.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("null".utf8)
    }
}

extension Assembly {
    /// All streams by path, once the event loops have told how many viewers there are.
    fileprivate func streamReports() async -> [StreamReport] {
        let counts = await servers.viewerCounts()
        let receptions = await pulls.srt.receptions()
        let (paths, configuration) = state.withLock { ($0.paths, $0.configuration) }
        let reading = ClockReading.now()
        return paths.map { name, path in
            StreamReport(
                path, configuration.servedPaths[name], viewers: counts[path.stream.path] ?? 0,
                forwards: forwards.all(of: path.stream.path), srt: receptions[path.stream.path], at: reading)
        }.sorted { $0.path < $1.path }
    }
}

extension StreamReport {
    init(
        _ path: ServedPath, _ settings: Configuration.Path?, viewers: Int, forwards: [any PathForward],
        srt: SRTStatistics?, at reading: ClockReading
    ) {
        let recent = path.stream.recentMedia(at: reading.monotonic)
        let tracks = path.stream.announcement?.tracks ?? []
        self.path = path.stream.path
        title = settings.flatMap { $0.title.isEmpty ? nil : $0.title } ?? path.publishing?.texts.title
        substreamOf = (settings?.source.parent).map { "/\($0)" }
        self.tracks = tracks.map { TrackReport($0, frameRate: recent.frameRates[$0.id]) }
        let carried = path.stream.stream(for: MP4Packager<[UInt8]>.self).announcement?.tracks ?? tracks
        let head = MP4Packager<[UInt8]>(tracks: carried, options: .outOfBand).head
        contentType = head.flatMap { $0.tracks.isEmpty ? nil : $0.contentType }
        bitrate = recent.byteCount * 8
        self.viewers = viewers
        takesPublishers = path.publishing != nil
        status = ServerStatus.StreamLine(path, forwards, srt: srt, hasPictureTimes: false, at: reading)
    }
}

extension CatalogStream {
    fileprivate init(_ report: StreamReport) {
        self.init(path: report.path, state: report.stateHash, content: report.hashValue) { rights in
            Catalog.json(report.seen(with: rights))
        }
    }
}
