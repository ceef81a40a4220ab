import Media
import RateControl

/// What a stream carried lately.
public struct RecentMedia: Hashable, Sendable {
    /// Bytes of all tracks in the last second.
    public var byteCount = 0
    /// Frames per second of each track that had two frames in the last two seconds.
    public var frameRates: [TrackID: Double] = [:]
}

extension Stream {
    /// What was captured before an instant.
    public func recentMedia(at now: MonotonicTime) -> RecentMedia {
        let end = now - epoch
        return state.withLock { state in
            var media = RecentMedia()
            var frames: [TrackID: FrameSpan] = [:]
            for index in stride(from: state.ring.endIndex - 1, through: state.ring.startIndex, by: -1) {
                let unit = state.ring[index]
                let age = end - unit.presentationTime.nanoseconds
                // Tracks and B-frames are out of order by less than a second.
                guard age <= 3_000_000_000 else { break }
                if (1...1_000_000_000).contains(age) { media.byteCount += unit.bytes.count }
                guard unit.part.isStart, (1...2_000_000_000).contains(age) else { continue }
                frames[unit.track, default: FrameSpan(age)].add(age)
            }
            media.frameRates = frames.compactMapValues(\.rate)
            return media
        }
    }
}

extension Stream {
    /// The largest bitrate of a track with headers, in kbit/s, for session descriptions (`b=AS`): one of few values, so that the
    /// description does not change with every frame.
    public func describedKilobitsPerSecond(of track: Track) -> UInt64 {
        guard let recent = recentRate(of: track.id) else { return track.kind == .video ? 4_000 : 250 }
        // A quarter more, for headers and because the bitrate varies; then the next power of two.
        let needed = Double(recent.bitsPerSecond) / 1_000 * 1.25
        var described: UInt64 = 250
        while Double(described) < needed, described < 1_000_000 { described *= 2 }
        return described
    }

    /// What all tracks carried in the last five seconds, with headers; 4 Mbit/s if less than a second is known.
    var recentRate: DataRate {
        recentRate(of: nil).map { $0 * 1.03 } ?? DataRate(bitsPerSecond: 4_000_000)
    }

    /// What a track, or all tracks, carried in the last five seconds; `nil` if less than a second is known.
    private func recentRate(of track: TrackID?) -> DataRate? {
        let (byteCount, span) = state.withLock { state -> (Int, Int64) in
            var (byteCount, newest, oldest): (Int, Int64?, Int64) = (0, nil, 0)
            for index in stride(from: state.ring.endIndex - 1, through: state.ring.startIndex, by: -1) {
                let unit = state.ring[index]
                guard track == nil || unit.track == track else { continue }
                oldest = unit.presentationTime.nanoseconds
                if newest == nil { newest = oldest }
                guard newest.map({ $0 &- oldest < 5_000_000_000 }) == true else { break }
                byteCount += unit.bytes.count
            }
            return (byteCount, newest.map { $0 &- oldest } ?? 0)
        }
        return span >= 1_000_000_000 ? DataRate(byteCount: Int64(byteCount), nanoseconds: span) : nil
    }
}

/// Frames of one track, and their ages in nanoseconds.
private struct FrameSpan {
    private var count = 0
    private var least: Int64
    private var greatest: Int64

    init(_ age: Int64) { (least, greatest) = (age, age) }

    mutating func add(_ age: Int64) {
        count += 1
        (least, greatest) = (min(least, age), max(greatest, age))
    }

    /// Frames per second, from the time between the first and the last; `nil` for one frame. Capture times vary, so what is within 0.5 %
    /// of a whole number is that number, and the rest has one digit behind the point.
    var rate: Double? {
        guard greatest > least else { return nil }
        let exact = Double(count - 1) * 1e9 / Double(greatest - least)
        let whole = exact.rounded()
        return abs(exact - whole) <= exact * 0.005 ? whole : (exact * 10).rounded() / 10
    }
}
