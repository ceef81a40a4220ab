import Media
import RTP

/// The keys that a connection's client was told by DESCRIBE and that no track uses yet.
///
/// Each is for one track of one session: two that shared a key would need other care not to encrypt alike (RFC 3711, section 9.1).
struct AnnouncedKeys {
    /// A track's, and whose packets it is for.
    struct TrackKey {
        let key: MasterKey
        let ssrc: SSRC
    }

    /// Paths at once: as many as a connection may have sessions.
    private static let capacity = 8

    /// By path, the newest last.
    private var announced: [(path: String, tracks: [TrackKey?])] = []

    /// A path was described once more: what was told before is forgotten.
    mutating func announce(_ keys: [TrackKey], at path: String) {
        announced.removeAll { $0.path == path }
        if announced.count == Self.capacity { announced.removeFirst() }
        announced.append((path, keys))
    }

    /// The key of a track; `nil` where none was told, or a session has it.
    func key(of track: TrackID, at path: String) -> TrackKey? {
        guard let tracks = announced.last(where: { $0.path == path })?.tracks, tracks.indices.contains(track.index)
        else { return nil }
        return tracks[track.index]
    }

    /// A session has taken the key of a track.
    mutating func use(of track: TrackID, at path: String) {
        guard key(of: track, at: path) != nil, let place = announced.lastIndex(where: { $0.path == path }) else {
            return
        }
        announced[place].tracks[track.index] = nil
    }
}
