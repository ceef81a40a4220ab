import MP4
import Media
import Streams

/// The viewers of one feed on one event loop, and this loop's view of the feed. Confined to the loop.
final class LiveAudience {
    /// The stream that the feed belongs to.
    let stream: Streams.Stream
    let feed: Feed<LivePackager>
    let view = FeedView<LiveFragment>()
    private(set) var viewers: [LiveViewer] = []
    private let fastStartBudget: MemoryBudget
    /// The fast start for viewers that join now.
    private var sharedFastStart: LiveFastStart?
    /// When to repeat a keyframe request that the stream's rate limit refused.
    private var keyframeRetry = MonotonicTime.distantFuture

    init(_ stream: Streams.Stream, _ feed: Feed<LivePackager>, fastStartBudget: MemoryBudget) {
        (self.stream, self.feed, self.fastStartBudget) = (stream, feed, fastStartBudget)
        feed.update(&view.reader)
    }

    /// Lets a viewer join: its init segment is sent, and its first fragment is determined.
    ///
    /// - Returns: false if it cannot get any of the tracks.
    func join(_ viewer: LiveViewer, at now: MonotonicTime) -> Bool {
        let point = stream.joinPoint(in: feed)
        guard let head = point.packager.head, viewer.begin(with: head) else { return false }
        // The tracks of an init segment are those of the head.
        guard let leading = head.tracks.first(where: { $0.id == viewer.leading }) else { return false }
        let fastStart = fastStart(for: viewer, leading, from: point)
        viewer.join(fastStart, at: now)
        viewers.append(viewer)
        if fastStart.fragments.isEmpty { requestKeyframe(at: now) }
        return true
    }

    func remove(_ viewer: LiveViewer) { viewers.removeAll { $0 === viewer } }

    /// The longest window of a fast start, in nanoseconds. A browser that plays a file presents the window at normal speed, and stays
    /// behind by as much for good.
    private static let longestWindow: Int64 = 40_000_000

    private func fastStart(
        for viewer: LiveViewer, _ leading: Track, from point: Streams.Stream.JoinPoint<LivePackager>
    ) -> LiveFastStart {
        let join = viewer.facts.path.join
        var limits = join.fastStart
        limits.minimumFrames = viewer.facts.minimumFastStartFrames ?? limits.minimumFrames
        let key = LiveFastStart.Key(
            tracks: viewer.tracks, limits: limits, window: min(join.fastStartWindow, Self.longestWindow))
        if join.mode == .keyframe { return .none(at: point.nextIndex, key) }
        if let shared = sharedFastStart, shared.key == key, shared.nextIndex == point.nextIndex { return shared }
        let fresh = LiveFastStart(point, leading: leading, key, within: fastStartBudget)
        sharedFastStart = fresh
        return fresh
    }

    // MARK: Serving

    /// Reads the feed's new fragments.
    func update(at now: MonotonicTime) {
        feed.update(&view.reader)
        if let shared = sharedFastStart, shared.nextIndex != view.endIndex { sharedFastStart = nil }
        guard keyframeRetry <= now else { return }
        keyframeRetry = .distantFuture
        if viewers.contains(where: \.follower.isAwaitingKeyframe) { requestKeyframe(at: now) }
    }

    /// Sends a viewer what it has not been sent yet.
    ///
    /// - Returns: why it is to be ended.
    func serve(
        _ viewer: LiveViewer, by policy: SlowViewerPolicy, _ statistics: inout LiveStatistics, at now: MonotonicTime
    ) -> LiveEnd? {
        var wantsKeyframe = false
        let progress = viewer.serve(in: view, by: policy, &statistics, wantsKeyframe: &wantsKeyframe, at: now)
        if wantsKeyframe { requestKeyframe(at: now) }
        guard case .ended(let reason) = progress else { return nil }
        return reason
    }

    /// Requests a keyframe, now or as soon as the limit allows.
    private func requestKeyframe(at now: MonotonicTime) {
        keyframeRetry = stream.requestKeyframe(at: now) ?? .distantFuture
    }
}
