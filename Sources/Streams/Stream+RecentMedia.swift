import Media

/// What a stream carried in the last second.
public struct RecentMedia: Hashable, Sendable {
    /// Bytes of all tracks.
    public var byteCount = 0
    /// Frames of each track.
    public var frameCounts: [TrackID: Int] = [:]
}

extension Stream {
    /// What was captured in the second before an instant.
    public func recentMedia(at now: MonotonicTime) -> RecentMedia {
        let start = now - epoch - 1_000_000_000
        return state.withLock { state in
            var media = RecentMedia()
            for index in stride(from: state.ring.endIndex - 1, through: state.ring.startIndex, by: -1) {
                let unit = state.ring[index]
                let time = unit.presentationTime.nanoseconds
                // Tracks and B-frames are out of order by less than this.
                guard time >= start - 1_000_000_000 else { break }
                guard time >= start, time < start + 1_000_000_000 else { continue }
                media.byteCount += unit.bytes.count
                if unit.part.isStart { media.frameCounts[unit.track, default: 0] += 1 }
            }
            return media
        }
    }
}
