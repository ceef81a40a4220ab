import Delivery
import Media
import RTP
import Streams

/// The connections that are sent one feed, and the thread's view of the feed. Confined to the thread of SRT.
final class TransportAudience {
    /// The payload that SRT is used with: seven transport packets in 1 316 bytes.
    static let packaging = MPEGTSPackager.Options(maximumPacketBytes: 12 + 7 * 188)
    /// The longest window of a fast start, in nanoseconds: players present it at normal speed, and stay behind by as much for good.
    private static let longestWindow: Int64 = 40_000_000
    /// The most bytes of a fast start, which is sent with 30 to 60 Mbit/s: live frames wait for it for a tenth of a second.
    private static let maximumFastStartByteCount = 500_000

    let stream: Streams.Stream
    let feed: Feed<MPEGTSPackager>
    let view = FeedView<PacketRun>()
    /// The track at whose keyframes viewers start.
    let leading: Track
    private(set) var senders: [FeedSender] = []
    private var paths: PathObserver?
    private let fastStartBudget: MemoryBudget
    /// The fast start for viewers that join now.
    private var sharedFastStart: TransportFastStart?
    /// When to repeat a keyframe request that the stream's rate limit refused.
    private var keyframeRetry = MonotonicTime.distantFuture
    /// The feed's ``Feed/changeCount`` of the last update.
    private var seenChangeCount = 0

    /// `nil` if the stream has no track that a transport stream carries.
    init?(_ stream: Streams.Stream, _ feed: Feed<MPEGTSPackager>, fastStartBudget: MemoryBudget) {
        guard let leading = feed.tracks.filter(MPEGTSPackager.carries).leading else { return nil }
        (self.stream, self.feed, self.leading, self.fastStartBudget) = (stream, feed, leading, fastStartBudget)
        feed.update(&view.reader)
    }

    /// Whether the feed has ended, because the tracks have changed or the stream has ended.
    var hasEnded: Bool { view.reader.hasEnded }

    /// Lets a connection join.
    ///
    /// - Parameter home: the stream of the path, also if this is another one in which tracks are encoded again.
    func join(_ sender: FeedSender, of home: Streams.Stream, _ options: JoinOptions, at now: MonotonicTime) {
        if paths == nil { paths = PathObserver(of: home, owner: self) }
        let point = stream.joinPoint(in: feed)
        sender.join(fastStart(options, from: point), at: now)
        senders.append(sender)
        if sender.follower.fastStart.isEmpty { requestKeyframe(at: now) }
    }

    func remove(_ sender: FeedSender) { senders.removeAll { $0 === sender } }

    /// Leaves the feed, because its last connection has gone.
    func end(_ waker: SRTWaker) {
        feed.detach(waker)
        paths?.end()
    }

    private func fastStart(
        _ options: JoinOptions, from point: Streams.Stream.JoinPoint<MPEGTSPackager>
    ) -> TransportFastStart {
        var limits = options.fastStart
        limits.maximumByteCount = min(limits.maximumByteCount, Self.maximumFastStartByteCount)
        let key = TransportFastStart.Key(limits: limits, window: min(options.fastStartWindow, Self.longestWindow))
        guard options.mode != .keyframe else { return .none(at: point.nextIndex, key) }
        if let shared = sharedFastStart, shared.key == key, shared.nextIndex == point.nextIndex { return shared }
        let fresh = TransportFastStart(point, leading: leading, key, within: fastStartBudget)
        sharedFastStart = fresh
        return fresh
    }

    /// Reads the feed's new runs.
    ///
    /// - Returns: whether anything is new.
    func update(at now: MonotonicTime) -> Bool {
        paths?.observe(senders, at: now) { sender, limits in
            sender.observePath(within: limits, in: view, at: now)
        } forget: {
            $0.forgetPath()
        }
        if keyframeRetry <= now {
            keyframeRetry = .distantFuture
            if senders.contains(where: \.follower.isAwaitingKeyframe) { requestKeyframe(at: now) }
        }
        let count = feed.changeCount
        guard count != seenChangeCount else { return false }
        seenChangeCount = count
        feed.update(&view.reader)
        if let shared = sharedFastStart, shared.nextIndex != view.endIndex { sharedFastStart = nil }
        return true
    }

    /// Requests a keyframe, now or as soon as the limit allows.
    func requestKeyframe(at now: MonotonicTime) {
        keyframeRetry = stream.requestKeyframe(at: now) ?? .distantFuture
    }
}

/// Keeps feeds running for the thread of SRT, which looks at them by itself. Nothing can wake it.
final class SRTWaker: Waker {
    func wake() {}
}
