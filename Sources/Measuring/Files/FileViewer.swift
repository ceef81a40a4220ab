import Media
import NIOCore
import NIOHTTP1
import Reactor

/// One viewer of an endless MP4 file: requests it, and reads fragments. Confined to the event loop.
final class FileViewer: HTTPViewer {
    let record: ViewerRecord
    private let target: String
    private unowned let bench: HTTPBench
    private var connection: ViewerConnection?
    private var reader = FragmentReader()

    init(_ stream: HTTPStream, _ record: ViewerRecord, of bench: HTTPBench) {
        (target, self.record, self.bench) = (stream.target, record, bench)
    }

    func connected(_ connection: ViewerConnection) {
        guard record.end == nil else { return connection.close() }
        self.connection = connection
        connection.get(target, as: "video/mp4")
    }

    func received(_ head: HTTPResponseHead) {
        guard head.status == .ok else {
            return end(.refused(status: head.status.code, reason: head.status.reasonPhrase))
        }
        record.played(firstSequenceNumbers: [], at: .now())
        bench.viewerSettled(at: .now())
    }

    func received(_ bytes: ByteBuffer) {
        guard record.end == nil else { return }
        do throws(MP4Failure) {
            try reader.read(bytes, of: record, in: bench, at: .now())
        } catch {
            end(.invalid(error))
        }
    }

    func receivedEnd() { end(.endedByServer) }

    func end(_ reason: HTTPEnd) {
        guard record.end == nil else { return }
        record.end = .http(reason)
        if record.playing == nil { bench.viewerSettled(at: .now()) }
        connection.take()?.close()
    }
}

extension FragmentReader {
    /// Reads the next piece of what a viewer has requested, and counts what it completes.
    mutating func read(
        _ bytes: ByteBuffer, of record: ViewerRecord, in bench: HTTPBench, at now: MonotonicTime
    ) throws(MP4Failure) {
        try read(bytes) { element in
            switch element {
            case .tracks(let tracks): record.described(tracks)
            case .fragment(let fragment): bench.received(fragment, by: record, at: now)
            }
        }
    }
}

extension ViewerRecord {
    /// A later init segment with the same number of tracks describes the same tracks; their counters go on.
    fileprivate func described(_ tracks: [MovieTracks.Track]) {
        guard self.tracks.count != tracks.count else { return }
        described(rates: tracks.map(\.rate), mainTrack: tracks.firstIndex(where: \.isVideo) ?? 0)
    }
}
