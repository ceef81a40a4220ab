import Media
import RTP
import Streams

/// One loop's viewers of one feed, and the feed as this loop sees it.
final class Audience {
    let stream: Stream
    let feed: any PacketFeed
    /// The memory that preludes may take.
    let fastStarts: FastStartBudget
    /// The track whose random access points decide where one can start: the video, else the first.
    let leading: Track
    var reader = FeedReader<PacketRun>()
    private(set) var viewers: [Viewer] = []
    /// Where the memory of each lies, in the same order.
    private(set) var memory: [ViewerMemory] = []
    /// The round under way, or the last.
    var round = ServiceRound()
    /// What the round under way, or the last, sends for the first time; `nil` where that has been noted.
    var sendTimes: SendTimes?
    /// Who has not been sent everything: nobody else needs a look before something new comes.
    var behind: [Viewer] = []
    /// Viewers behind whose connections take nothing: they are looked at together, and when their sockets are writable.
    var resting: [Viewer] = []
    var nextLookAtResting = MonotonicTime(nanoseconds: .min / 2)
    /// What `behind` was: it keeps its memory.
    var formerlyBehind: [Viewer] = []
    /// What `nanosecondsPerByte` was for the runs before that index.
    private var byteDuration: (endIndex: Int64, nanoseconds: Int64) = (-1, 0)
    /// What who joins now is sent first.
    var sharedFastStart: PackagedFastStart?
    /// When to ask for a random access point again, because the stream's budget did not allow it.
    var keyframeRetryInterval = MonotonicTime.distantFuture
    /// How often the wall clock had stepped when the viewers were last told about it.
    private var clockStepCount: Int

    init(stream: Stream, feed: any PacketFeed, fastStarts: FastStartBudget) {
        self.fastStarts = fastStarts
        self.stream = stream
        self.feed = feed
        clockStepCount = stream.clock.follow()
        // An announced stream has at least one track: sources announce what they play.
        leading = feed.tracks.first { $0.kind == .video } ?? feed.tracks[0]
    }

    /// Looks at the stream's clock; true if the wall clock has stepped since the last look, whoever has noticed it.
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
        resting.removeAll { $0 === viewer }
        round.viewersChanged()
        viewer.isListedBehind = false
        viewer.audience = nil
    }

    /// The track that decides where this viewer can start: it may have set up the sound alone.
    func leadingTrack(for viewer: Viewer) -> Track {
        if viewer.watches(leading.id) { return leading }
        return feed.tracks.first { viewer.watches($0.id) } ?? leading
    }

    /// The same, by its name alone.
    func leadingTrackID(for viewer: Viewer) -> TrackID {
        viewer.watches(leading.id) ? leading.id : leadingTrack(for: viewer).id
    }

    /// The run at `index`, if it is in view.
    func run(at index: Int64) -> PacketRun? {
        index >= reader.startIndex && index < reader.endIndex ? reader[index] : nil
    }

    /// Media time from what has reached the viewer to the newest unit, in nanoseconds; `nil` where it has been sent everything.
    ///
    /// No more than the time for which something has waited for it: what a source hands over in one burst, having been held
    /// up, makes nobody late who kept up before.
    /// What a connection's two kernels still hold counts too, at the stream's rate.
    func lag(of viewer: Viewer, at now: MonotonicTime) -> Int64? {
        guard let newest = run(at: reader.endIndex - 1), viewer.position.index < reader.endIndex,
            let next = run(at: max(viewer.position.index, reader.startIndex))
        else { return nil }
        let waited = viewer.behindSince.map { now - $0 } ?? 0
        let lag = min(waited, newest.presentationTime.nanoseconds &- next.presentationTime.nanoseconds)
        // A prelude is read as fast as the client can decode: that it is unread at first is no lag.
        guard let output = viewer.output, now - viewer.startedAt > Self.fastStartReading else { return lag }
        return lag &+ Int64(output.unreadByteCount(at: now)) &* nanosecondsPerByte
    }

    /// How long a client may take to read its prelude, in nanoseconds.
    private static let fastStartReading: Int64 = 2_000_000_000

    /// How much media time a byte stands for, over the last units: two seconds of a film. Computed once per unit.
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

    /// From the unit before that at `index`, of its track, to it, in nanoseconds; 0 where there is none in view.
    func interval(before index: Int64) -> Int64 {
        guard let run = run(at: index) else { return 0 }
        for earlier in stride(from: index - 1, through: max(reader.startIndex, index - 32), by: -1) {
            guard let before = self.run(at: earlier), before.track == run.track, before.part.isStart else { continue }
            return max(0, run.presentationTime.nanoseconds &- before.presentationTime.nanoseconds)
        }
        return 0
    }

    /// Asks for a random access point, now or as soon as the budget allows.
    func requestKeyframe(at now: MonotonicTime) {
        keyframeRetryInterval = stream.requestKeyframe(at: now) ?? .distantFuture
    }

    /// Index of the newest random access point of the viewer's leading track after `index`, if it is no older than `age` nanoseconds.
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
