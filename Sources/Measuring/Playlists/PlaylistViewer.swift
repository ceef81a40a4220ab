import HLS
import Media
import NIOCore
import NIOHTTP1
import Reactor

/// One viewer of HLS: requests playlists and media one after the other on one connection, and reads fragments. Confined to the event
/// loop.
final class PlaylistViewer: HTTPViewer {
    let record: ViewerRecord
    private unowned let bench: HTTPBench
    private let cache: PlaylistCache
    private var follower: PlaylistFollower
    private var connection: ViewerConnection?
    private var reader = FragmentReader()
    private var response = Response.media
    private var text = ByteBuffer()

    private enum Response {
        case playlist
        case media
        /// What was requested is not there; the body is not read.
        case missing
    }

    /// - Parameter cache: is shared by all viewers of the bench.
    init(
        _ stream: HTTPStream, _ playback: HTTPStream.Playback, _ record: ViewerRecord, _ cache: PlaylistCache,
        of bench: HTTPBench
    ) {
        follower = PlaylistFollower(stream.target, playback)
        (self.record, self.cache, self.bench) = (record, cache, bench)
    }

    func connected(_ connection: ViewerConnection) {
        guard record.end == nil else { return connection.close() }
        self.connection = connection
        perform(follower.first)
    }

    private func perform(_ order: PlaylistFollower.Order) {
        switch order {
        case .playlist(let target):
            response = .playlist
            text.clear()
            connection?.get(target, as: "application/vnd.apple.mpegurl")
        case .media(let target):
            response = .media
            connection?.get(target, as: "video/mp4")
        case .wait(let milliseconds):
            connection?.schedule(after: milliseconds) { [self] in perform(follower.waited()) }
        case .end(let reason): end(reason)
        }
    }

    func received(_ head: HTTPResponseHead) {
        switch head.status {
        case .ok: break
        case .notFound where response == .media: response = .missing
        default: end(.refused(status: head.status.code, reason: head.status.reasonPhrase))
        }
    }

    func received(_ bytes: ByteBuffer) {
        guard record.end == nil else { return }
        switch response {
        case .missing: break
        case .playlist:
            guard text.readableBytes + bytes.readableBytes <= ReceivedPlaylist.maximumByteCount else {
                return end(.invalidPlaylist(.tooLong))
            }
            text.writeImmutableBuffer(bytes)
        case .media:
            do throws(MP4Failure) {
                try reader.read(bytes, of: record, in: bench, at: .now())
            } catch {
                end(.invalid(error))
            }
        }
    }

    func receivedEnd() {
        guard record.end == nil else { return }
        switch response {
        case .media: perform(follower.receivedMedia())
        case .missing: perform(follower.mediaWasMissing())
        case .playlist:
            do throws(ReceivedPlaylist.Failure) {
                perform(follower.received(try cache.playlist(text)))
            } catch {
                return end(.invalidPlaylist(error))
            }
            guard follower.isPlaying, record.playing == nil, record.end == nil else { return }
            record.played(firstSequenceNumbers: [], at: .now())
            bench.viewerSettled(at: .now())
        }
    }

    func end(_ reason: HTTPEnd) {
        guard record.end == nil else { return }
        record.end = .http(reason)
        if record.playing == nil { bench.viewerSettled(at: .now()) }
        connection.take()?.close()
    }
}
