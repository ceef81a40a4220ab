import HLS
import NIOCore

/// The playlists that came last. All viewers of a stream get the same bytes, which are read once. Confined to the event loop.
final class PlaylistCache {
    private var entries: [(text: ByteBuffer, playlist: ReceivedPlaylist)] = []
    /// Viewers that are behind by a part get the playlist before.
    private static let capacity = 4

    func playlist(_ text: ByteBuffer) throws(ReceivedPlaylist.Failure) -> ReceivedPlaylist {
        if let known = entries.first(where: { $0.text == text }) { return known.playlist }
        let playlist = try ReceivedPlaylist(String(buffer: text))
        if entries.count == Self.capacity { entries.removeLast() }
        entries.insert((text, playlist), at: 0)
        return playlist
    }
}
