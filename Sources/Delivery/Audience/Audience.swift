import Media
import RTP
import Streams

/// The viewers of one feed on one loop, and this loop's view of the feed.
final class Audience {
    let stream: Stream
    let feed: any PacketFeed
    /// Limits the memory of fast starts.
    let fastStartBudget: FastStartBudget
    /// The leading track, whose keyframes viewers can start at.
    let leading: Track
    var reader = FeedReader<PacketRun>()
    private(set) var viewers: [Viewer] = []
    /// The memory that serving each viewer touches, to be prefetched, in the order of `viewers`.
    private(set) var memory: [ViewerMemory] = []
    /// The current round, or the last.
    var round = ServiceRound()
    /// When the current round, or the last, sent its new runs; `nil` once this has been recorded.
    var sendTimes: SendTimes?
    /// Viewers that were not sent everything. No other viewer needs to be checked before something new comes.
    var behind: [Viewer] = []
    /// Viewers behind with full connections. They are checked together, and when their sockets become writable.
    var suspended: [Viewer] = []
    var nextSuspendedCheck = MonotonicTime(nanoseconds: .min / 2)
    /// The former `behind`, kept to reuse its memory.
    var formerlyBehind: [Viewer] = []
    /// The value of `nanosecondsPerByte` for runs before `endIndex`.
    private var byteDuration: (endIndex: Int64, nanoseconds: Int64) = (-1, 0)
    /// The fast start for viewers that join now.
    var sharedFastStart: PackagedFastStart?
    /// When to repeat a keyframe request that the stream's rate limit refused.
    var keyframeRetry = MonotonicTime.distantFuture
    /// How many steps of the wall clock the viewers' sender reports account for.
    private var clockStepCount: Int

    init(stream: Stream, feed: any PacketFeed, fastStartBudget: FastStartBudget) {
        self.fastStartBudget = fastStartBudget
        self.stream = stream
        self.feed = feed
        clockStepCount = stream.clock.follow()
        // An announced stream has at least one track: sources announce what they play.
        leading = feed.tracks.leading ?? feed.tracks[0]
    }

    /// Follows the stream's clock; true if the wall clock has stepped since the last call on this audience.
    func followClock() -> Bool {
        let count = stream.clock.follow()
        defer { clockStepCount = count }
        return count != clockStepCount
    }

    func insert(_ viewer: Viewer) {
        viewers.append(viewer)
        memory.append(ViewerMemory(of: viewer, track: leadingTrackID(for: viewer).index))
        round.viewersChanged()
        viewer.audience = self
    }

    func remove(_ viewer: Viewer) {
        if let index = viewers.firstIndex(where: { $0 === viewer }) {
            viewers.remove(at: index)
            memory.remove(at: index)
        }
        behind.removeAll { $0 === viewer }
        suspended.removeAll { $0 === viewer }
        round.viewersChanged()
        viewer.isListedBehind = false
        viewer.audience = nil
    }

    /// The track that decides where this viewer can start. A viewer may have set up audio only.
    func leadingTrack(for viewer: Viewer) -> Track {
        if viewer.watches(leading.id) { return leading }
        return feed.tracks.first { viewer.watches($0.id) } ?? leading
    }

    /// The ID of that track.
    func leadingTrackID(for viewer: Viewer) -> TrackID {
        viewer.watches(leading.id) ? leading.id : leadingTrack(for: viewer).id
    }

    /// The run at `index`, if it is in view.
    func run(at index: Int64) -> PacketRun? {
        index >= reader.startIndex && index < reader.endIndex ? reader[index] : nil
    }

    /// How far the viewer is behind: media time from what has reached it to the newest unit, in nanoseconds; `nil` if it was sent
    /// everything.
    ///
    /// The lag is at most the time that a unit has waited for this viewer, so that a source's late burst makes no viewer late.
    /// Bytes that the kernels of both hosts still hold count too, at the stream's rate.
    func lag(of viewer: Viewer, at now: MonotonicTime) -> Int64? {
        guard let newest = run(at: reader.endIndex - 1), viewer.position.index < reader.endIndex,
            let next = run(at: max(viewer.position.index, reader.startIndex))
        else { return nil }
        let waited = viewer.behindSince.map { now - $0 } ?? 0
        let lag = min(waited, newest.presentationTime.nanoseconds &- next.presentationTime.nanoseconds)
        // A client reads its fast start as fast as it can decode, so unread bytes are no lag at first.
        guard let output = viewer.output, now - viewer.startedAt > Self.fastStartReadingTime else { return lag }
        return lag &+ Int64(output.unreadByteCount(at: now)) &* nanosecondsPerByte
    }

    /// How long a client may take to read its fast start, in nanoseconds.
    private static let fastStartReadingTime: Int64 = 2_000_000_000

    /// Media time per byte over the last units, about two seconds of a file. Computed once per unit.
    private var nanosecondsPerByte: Int64 {
        if byteDuration.endIndex != reader.endIndex { byteDuration = (reader.endIndex, measuredByteDuration) }
        return byteDuration.nanoseconds
    }

    private var measuredByteDuration: Int64 {
        let first = max(reader.startIndex, reader.endIndex - 150)
        guard let newest = run(at: reader.endIndex - 1), let oldest = run(at: first), first < reader.endIndex - 1 else {
            return 0
        }
        var byteCount: Int64 = 1
        for index in first..<(reader.endIndex - 1) { byteCount += Int64(reader[index].byteCount) }
        return max(0, newest.presentationTime.nanoseconds &- oldest.presentationTime.nanoseconds) / byteCount
    }

    /// The time between the unit at `index` and the one before it in its track, in nanoseconds; 0 if that is not in view.
    func interval(before index: Int64) -> Int64 {
        guard let run = run(at: index) else { return 0 }
        for earlier in stride(from: index - 1, through: max(reader.startIndex, index - 32), by: -1) {
            guard let before = self.run(at: earlier), before.track == run.track, before.part.isStart else { continue }
            return max(0, run.presentationTime.nanoseconds &- before.presentationTime.nanoseconds)
        }
        return 0
    }

    /// Requests a keyframe, now or as soon as the limit allows.
    func requestKeyframe(at now: MonotonicTime) {
        keyframeRetry = stream.requestKeyframe(at: now) ?? .distantFuture
    }

    /// The index of the newest keyframe of the viewer's leading track after `index`, if it is at most `age` nanoseconds old.
    func recentKeyframe(after index: Int64, for viewer: Viewer, within age: Int64) -> Int64? {
        let leading = leadingTrack(for: viewer).id
        guard let newest = run(at: reader.endIndex - 1)?.presentationTime.nanoseconds else { return nil }
        for candidate in stride(from: reader.endIndex - 1, to: index, by: -1) {
            guard let run = run(at: candidate), newest &- run.presentationTime.nanoseconds <= age else { return nil }
            if run.track == leading, run.isKeyframe, run.part.isStart { return candidate }
        }
        return nil
    }
}
