import Delivery
import Media
import RTMP
import RTMPDelivery
import Streams

/// The players of one feed on one loop, and this loop's view of the feed. Confined to the loop.
final class PlayerAudience {
    /// The frames that libavformat probes before it begins to play, with times that differ: it waits for 40 if times are milliseconds.
    private static let probedFrameCount = 45
    /// The limit of a fast start's bytes is multiplied by this number: a fast start of 45 frames often spans two GOPs, and over TCP it is
    /// not paced.
    private static let byteLimitFactor = 2
    /// The longest window of a fast start, in nanoseconds: players present it at normal speed, and stay behind by as much for good.
    /// Each probed frame has a millisecond of its own in it.
    private static let longestWindow: Int64 = 50_000_000

    let stream: Streams.Stream
    let feed: Feed<FLVPackager>
    let view = FeedView<FLVFrame>()
    private(set) var connections: [Connection] = []
    /// Whether some of them have not been sent everything.
    var isBehind = false
    private let fastStartBudget: MemoryBudget
    /// The fast start for players that join now.
    private var sharedFastStart: MessageFastStart?
    /// When to repeat a keyframe request that the stream's rate limit refused.
    private var keyframeRetry = MonotonicTime.distantFuture
    /// Tells the stream what the paths to the players carry.
    private var paths: PathObserver?
    /// The feed's ``Feed/changeCount`` of the last update.
    private var seenChangeCount = 0

    init(_ stream: Streams.Stream, _ feed: Feed<FLVPackager>, fastStartBudget: MemoryBudget) {
        (self.stream, self.feed, self.fastStartBudget) = (stream, feed, fastStartBudget)
        feed.update(&view.reader)
    }

    /// Estimates what the paths to the players carry, if that is due.
    func observePaths(at now: MonotonicTime) {
        guard let due = paths?.nextCheck, due <= now else { return }
        paths?.observe(connections.compactMap { $0.player?.sender }, in: view, at: now)
    }

    /// Leaves the feed, because its last player has gone.
    func end(on place: LoopPlace) {
        feed.detach(place.waker)
        paths?.end()
    }

    /// Lets a player join.
    func join(_ player: Player, of connection: Connection, fast: Bool, at now: MonotonicTime) {
        let point = stream.joinPoint(in: feed)
        let tracks = stream.announcement?.tracks ?? []
        let leading = FLVPackager.leading(of: tracks, to: player.codecs).flatMap { id in tracks.first { $0.id == id } }
        player.sender.join(fastStart(for: player, leading, from: point, fast), at: now)
        connections.append(connection)
        if paths == nil { paths = PathObserver(of: player.path.stream, owner: self) }
        if player.sender.follower.fastStart.isEmpty { requestKeyframe(at: now) }
    }

    func remove(_ connection: Connection) { connections.removeAll { $0 === connection } }

    private func fastStart(
        for player: Player, _ leading: Track?, from point: Streams.Stream.JoinPoint<FLVPackager>, _ isFast: Bool
    ) -> MessageFastStart {
        let join = player.path.join
        var limits = join.fastStart
        limits.minimumFrames = max(limits.minimumFrames, Self.probedFrameCount)
        limits.maximumByteCount *= Self.byteLimitFactor
        let key = MessageFastStart.Key(limits: limits, window: min(join.fastStartWindow, Self.longestWindow))
        guard let leading, isFast, join.mode != .keyframe else { return .none(at: point.nextIndex, key) }
        if let shared = sharedFastStart, shared.key == key, shared.nextIndex == point.nextIndex { return shared }
        let fresh = MessageFastStart(point, leading: leading, key, within: fastStartBudget)
        sharedFastStart = fresh
        return fresh
    }

    /// Reads the feed's new frames.
    ///
    /// - Returns: whether there are any.
    func update(at now: MonotonicTime) -> Bool {
        if keyframeRetry <= now {
            keyframeRetry = .distantFuture
            if connections.contains(where: { $0.player?.sender.follower.isAwaitingKeyframe == true }) {
                requestKeyframe(at: now)
            }
        }
        let count = feed.changeCount
        guard count != seenChangeCount else { return false }
        seenChangeCount = count
        feed.update(&view.reader)
        if let shared = sharedFastStart, shared.nextIndex != view.endIndex { sharedFastStart = nil }
        return true
    }

    /// When to call ``update(at:)`` even if nothing is new.
    var nextDeadline: MonotonicTime { min(keyframeRetry, paths?.nextCheck ?? .distantFuture) }

    /// Requests a keyframe, now or as soon as the limit allows.
    func requestKeyframe(at now: MonotonicTime) {
        keyframeRetry = stream.requestKeyframe(at: now) ?? .distantFuture
    }
}
