import MP4
import Media
import RTSP
import Streams

/// One viewer of a stream over HTTP: a follower of a feed, with its own times. It has no queue. Confined to the event loop.
final class LiveViewer {
    /// What the viewer is, apart from its progress.
    struct Facts {
        let path: LivePath
        let selection: LiveSelection
        let placement: ParameterSetPlacement
        /// The fewest frames of a fast start; `nil` for those of the path.
        let minimumFastStartFrames: Int?
        /// `MP4` or `WebSocket`.
        let transport: String
        let client: Client
        let grant: Grant
        /// Whether the access policy still permits it.
        let isPermitted: () -> Bool
    }

    /// Never used again for another viewer.
    let number: UInt64
    let facts: Facts
    let body: any LiveBody
    /// When its first media were sent.
    private(set) var startedAt: MonotonicTime?
    /// Its place in the feed.
    var follower: Follower<LiveFragment>
    private var timeline = ClientTimeline()
    /// The init segment that the client got last.
    private var initSegment: InitSegment?
    /// The tracks that it gets.
    private(set) var tracks: Set<TrackID> = []
    /// The leading track: the viewer starts at a keyframe of this track.
    private(set) var leading = TrackID(0)
    /// How the times of its first frames are compressed.
    private var compression: (track: TrackID, times: TimeCompression)?
    /// The memory of its fast start.
    private var fastStartCharge: MemoryBudget.Charge?
    /// The decode time after which the body is complete; `nil` for never.
    private var endTime: Int64?
    /// Frames that were left out since the client was last told.
    private var untoldDrops = 0
    /// Makes the source of an on-demand stream run.
    private let use: StreamUse
    private let count: ConnectionViewer
    /// The stream that it is served from, and what makes it run; another one than the path's if tracks are encoded again.
    private(set) var source: (stream: Streams.Stream, use: StreamUse)?

    init(_ number: UInt64, _ facts: Facts, _ count: ConnectionViewer, body: any LiveBody, at now: MonotonicTime) {
        (self.number, self.facts, self.count, self.body) = (number, facts, count, body)
        use = StreamUse(of: facts.path.stream)
        follower = Follower(at: now)
    }

    /// Its id in lists: `v17`.
    var id: String { "v\(number)" }

    /// Units that were skipped because it did not keep up.
    var droppedUnits: UInt64 { follower.droppedUnits }

    /// Is served from this stream from now on.
    func follow(_ stream: Streams.Stream) {
        if source?.stream !== stream { source = (stream, StreamUse(of: stream)) }
    }

    /// Begins with these tracks.
    ///
    /// - Returns: false if the client cannot get any, or cannot continue with them.
    func begin(with head: InitSegment) -> Bool {
        guard let segment = head.selecting(facts.selection.admits), let first = segment.tracks.leading else {
            return false
        }
        (tracks, leading) = (Set(segment.tracks.map(\.id)), first.id)
        defer { initSegment = segment }
        guard body.begin(segment, after: initSegment) else { return false }
        follower.took(head)
        return true
    }

    /// Joins the feed behind a fast start.
    func join(_ fastStart: LiveFastStart, at now: MonotonicTime) {
        follower.join(at: fastStart.nextIndex, fastStart: fastStart.fragments, at: now)
        (compression, fastStartCharge) = (fastStart.compression, fastStart.charge)
    }
}

// MARK: - Events

extension LiveViewer {
    /// Publishes and counts that it begins to play.
    func reportJoined() {
        let stream = facts.path.stream
        stream.viewerCounts.joined(over: facts.transport)
        stream.events?.publish(stream.path) { .viewerJoined(eventClient) }
    }

    /// Publishes and counts that it has left after it had joined.
    func reportLeft(because reason: LiveEnd) {
        let stream = facts.path.stream
        stream.viewerCounts.left(over: facts.transport, reason.departure)
        stream.events?.publish(stream.path) { .viewerLeft(eventClient, reason: reason.text) }
    }

    private var eventClient: StreamEvent.Client {
        let name = facts.client.userAgent
        return StreamEvent.Client(
            peer: facts.client.peer, name: name.isEmpty ? nil : name, transport: facts.transport,
            user: facts.grant.user)
    }
}

// MARK: - Sending

extension LiveViewer {
    /// What has come of serving a viewer.
    enum Progress {
        case served
        case ended(LiveEnd)
    }

    /// Sends what it has not been sent yet, as far as the channel takes it.
    ///
    /// - Parameter wantsKeyframe: set to true if a keyframe is to be requested.
    func serve(
        in view: FeedView<LiveFragment>, by policy: SlowViewerPolicy, _ statistics: inout LiveStatistics,
        wantsKeyframe: inout Bool, at now: MonotonicTime
    ) -> Progress {
        var hasWritten = false
        defer { if hasWritten { body.connection.flush() } }
        while true {
            if !follower.keepsUp(in: view) {
                switch verdict(in: view, by: policy, &statistics, wantsKeyframe: &wantsKeyframe, at: now) {
                case .send: break
                case .wait: return .served
                case .disconnect: return .ended(.stalled)
                }
            }
            guard let fragment = follower.next(in: view) else { break }
            if passes(fragment) {
                guard body.connection.isWritable else {
                    follower.blocked(at: now)
                    return .served
                }
                if let reason = send(fragment, &statistics, at: now) { return .ended(reason) }
                hasWritten = true
            }
            follower.advance()
        }
        if hasWritten { body.caughtUp(at: now) }
        _ = follower.settle(in: view)
        if !follower.isInFastStart, !follower.fastStart.isEmpty {
            follower.releaseFastStart()
            fastStartCharge = nil
        }
        return .served
    }

    private func passes(_ fragment: LiveFragment) -> Bool {
        guard tracks.contains(fragment.track) else { return false }
        if follower.passes(fragment, leading: leading) { return true }
        // Those before its first frame were not left out.
        if startedAt != nil { untoldDrops += 1 }
        return false
    }

    /// How far it is behind, in nanoseconds; 0 if it was sent everything.
    func lag(in view: FeedView<LiveFragment>, at now: MonotonicTime) -> Int64 {
        follower.lag(in: view, over: transport(at: now), at: now) ?? 0
    }

    /// What its follower asks of its connection.
    private func transport(at now: MonotonicTime) -> LiveTransport {
        // A client reads its fast start as fast as it can, so bytes that wait are no lag at first.
        let isStarting = startedAt.map { now - $0 <= Follower<LiveFragment>.fastStartReadingTime } ?? true
        return LiveTransport(connection: body.connection, countsUnread: !isStarting)
    }

    /// Whether the next fragment may be sent. Frames that are skipped are counted.
    private func verdict(
        in view: FeedView<LiveFragment>, by policy: SlowViewerPolicy, _ statistics: inout LiveStatistics,
        wantsKeyframe: inout Bool, at now: MonotonicTime
    ) -> Follower<LiveFragment>.Verdict {
        let (position, dropped) = (follower.position, follower.droppedUnits)
        let verdict = follower.verdict(
            in: view, leading: leading, policy: policy, transport: transport(at: now), wantsKeyframe: &wantsKeyframe,
            at: now)
        statistics.droppedUnits += follower.droppedUnits - dropped
        let skipped = follower.fastStart[position.fastStart..<follower.position.fastStart]
        untoldDrops += skipped.count { $0.track == leading }
        for index in position.index..<max(position.index, follower.position.index)
        where view.output(at: index)?.track == leading {
            untoldDrops += 1
        }
        return verdict
    }

    /// - Returns: why the viewer is to be ended.
    private func send(_ fragment: LiveFragment, _ statistics: inout LiveStatistics, at now: MonotonicTime) -> LiveEnd? {
        if let head = follower.missingHead(before: fragment), !begin(with: head) {
            return initSegment == nil ? .noTracks : .tracksChanged
        }
        // Another init segment may have other tracks.
        guard tracks.contains(fragment.track) else { return nil }
        if fragment.track == leading, follower.isAwaitingKeyframe {
            follower.resumed()
            if untoldDrops > 0 { body.dropped(untoldDrops) }
            untoldDrops = 0
        }
        guard let fields = timeline.fields(for: fragment, presentedAt: compressedTime(of: fragment)) else { return nil }
        if let duration = facts.selection.duration {
            let time = fragment.decodeTime.nanoseconds
            let end = endTime ?? time + duration
            endTime = end
            if time >= end { return .complete }
        }
        body.connection.write(fragment, with: fields)
        if startedAt == nil { startedAt = now }
        follower.took(upTo: 0, at: now)
        statistics.fragments += 1
        statistics.bytes += UInt64(fragment.byteCount)
        return nil
    }

    /// When a late B-frame behind a fast start is shown; `nil` if when the stream says.
    private func compressedTime(of fragment: LiveFragment) -> MediaTime? {
        guard let compression, compression.track == fragment.track, !follower.isInFastStart else { return nil }
        let ticks = compression.times(fragment.presentationTime.ticks)
        guard ticks != fragment.presentationTime.ticks else { return nil }
        return MediaTime(ticks: ticks, rate: fragment.presentationTime.rate)
    }
}
