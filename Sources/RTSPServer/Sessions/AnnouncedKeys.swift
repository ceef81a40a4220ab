import Media
import RTP

/// The SRTP keys that DESCRIBE sent to a connection's client and that no track uses yet.
///
/// Each is for one track of one session. Two that shared a key would need extra care against reuse of the key stream (RFC 3711,
/// section 9.1).
struct AnnouncedKeys {
    /// The key of a track, and the SSRC of the packets that it protects.
    struct TrackKey {
        let key: MasterKey
        let ssrc: SSRC
    }

    /// Paths at a time: as many as a connection may have sessions.
    private static let capacity = 8

    /// The keys by path, the newest last.
    private var announced: [(path: String, tracks: [TrackKey?])] = []

    /// Replaces the keys of a path that was described again.
    mutating func announce(_ keys: [TrackKey], at path: String) {
        announced.removeAll { $0.path == path }
        if announced.count == Self.capacity { announced.removeFirst() }
        announced.append((path, keys))
    }

    /// The key of a track; `nil` if none was sent, or a session uses it.
    func key(of track: TrackID, at path: String) -> TrackKey? {
        guard let tracks = announced.last(where: { $0.path == path })?.tracks, tracks.indices.contains(track.index)
        else { return nil }
        return tracks[track.index]
    }

    /// Removes the key of a track because a session uses it now.
    mutating func use(of track: TrackID, at path: String) {
        guard key(of: track, at: path) != nil, let place = announced.lastIndex(where: { $0.path == path }) else {
            return
        }
        announced[place].tracks[track.index] = nil
    }
}
