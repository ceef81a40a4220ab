import Connecting
import Delivery
import Media
import RTMP
import RTMPDelivery
import Streams

/// What a forward sends to its server: a follower of the stream's feed. Confined to the loop.
final class OutgoingPublication {
    private let sender: MessageSender
    private let feed: Feed<FLVPackager>
    private let view = FeedView<FLVFrame>()
    private let waker: FeedWaker
    private var seenChangeCount = 0
    /// When to repeat a keyframe request that the stream's rate limit refused.
    private var keyframeRetry = MonotonicTime.distantFuture
    private var countedDrops: UInt64 = 0
    /// Tells the stream what the path to the server carries.
    private var paths: PathObserver?

    /// The time between two attempts to send to a server that does not keep up, in nanoseconds.
    static let tick: Int64 = 20_000_000
    /// The longest window of a fast start, in nanoseconds. The server and its players stay behind by as much.
    private static let longestWindow: Int64 = 40_000_000

    /// Why a stream cannot be published now.
    enum Refusal: Error {
        /// Its media is not known yet.
        case noMedia
        /// The server takes none of the tracks.
        case noTrack([Track])
    }

    /// Joins the stream's feed.
    ///
    /// - Parameters:
    ///   - source: the stream, or that in which tracks are encoded again for RTMP.
    ///   - stream: the stream of the path, whose encoder may follow the server.
    ///   - codecs: those of Enhanced RTMP that the server takes.
    init(
        _ source: Streams.Stream, of stream: Streams.Stream, to codecs: EnhancedCodecs,
        over transport: MessageTransport, _ framing: MediaFraming,
        on place: LoopPlace, at now: MonotonicTime
    ) throws(Refusal) {
        waker = FeedWaker(place.waker)
        guard let tracks = source.announcement?.tracks,
            let feed = source.feed(FLVPackager.self, options: codecs, for: waker)
        else { throw .noMedia }
        self.feed = feed
        guard let leading = FLVPackager.leading(of: tracks, to: codecs).flatMap({ id in tracks.first { $0.id == id } })
        else {
            feed.detach(waker)
            throw .noTrack(tracks)
        }
        sender = MessageSender(source, to: codecs, leading: leading.id, over: transport, framing, at: now)
        feed.update(&view.reader)
        let point = source.joinPoint(in: feed)
        let key = MessageFastStart.Key(limits: FastStart.Limits(), window: Self.longestWindow)
        // An encoder makes a keyframe at once. Of other streams the next keyframe may be far.
        let fastStart =
            source.hasEncoder
            ? MessageFastStart.none(at: point.nextIndex, key)
            : MessageFastStart(point, leading: leading, key, within: place.delivery.fastStartBudget)
        sender.join(fastStart, at: now)
        if sender.follower.fastStart.isEmpty { requestKeyframe(at: now) }
        paths = PathObserver(of: stream, owner: self)
    }

    /// The number of frames of the stream so far.
    var unitCount: Int64 { view.endIndex }

    /// Sends what the stream has new.
    ///
    /// - Returns: the latest time of the next call; `nil` if the server has taken nothing for too long.
    func send(by policy: SlowViewerPolicy, at now: MonotonicTime) -> MonotonicTime? {
        if keyframeRetry <= now {
            keyframeRetry = .distantFuture
            if sender.follower.isAwaitingKeyframe { requestKeyframe(at: now) }
        }
        paths?.observe(CollectionOfOne(sender), in: view, at: now)
        let count = feed.changeCount
        let hasNew = count != seenChangeCount
        if hasNew {
            seenChangeCount = count
            feed.update(&view.reader)
        }
        if hasNew || isBehind {
            var wantsKeyframe = false
            guard sender.serve(in: view, by: policy, wantsKeyframe: &wantsKeyframe, at: now) else { return nil }
            if wantsKeyframe { requestKeyframe(at: now) }
        }
        let next = min(keyframeRetry, paths?.nextCheck ?? .distantFuture)
        return isBehind ? min(next, now + Self.tick) : next
    }

    /// Whether something waits for the server.
    private var isBehind: Bool {
        sender.follower.backlog != .none || sender.follower.isInFastStart || !sender.transport.isEmpty
    }

    /// What was sent, and the frames that were skipped, since the last call.
    func takeCounts() -> (MessageSender.Sent, droppedUnits: UInt64) {
        let dropped = sender.follower.droppedUnits
        defer { countedDrops = dropped }
        return (sender.takeSent(), dropped - countedDrops)
    }

    /// Leaves the feed.
    func end() {
        feed.detach(waker)
        paths?.end()
    }

    private func requestKeyframe(at now: MonotonicTime) {
        keyframeRetry = sender.stream.requestKeyframe(at: now) ?? .distantFuture
    }
}
