import Media
import RTSP
import Streams

/// What the rest of the program asks about the viewers over HTTP.
extension Server {
    /// All viewers that play.
    public func viewers(at now: MonotonicTime) async -> [FollowerStatus] {
        let overHLS = context?.playbacks.sessions.viewers ?? []
        return await askLoops { $0.viewers(at: now) }.flatMap(\.self) + overHLS
    }

    /// How many viewers play, by path.
    public func viewerCounts() async -> [String: Int] {
        var sum: [String: Int] = [:]
        for counts in await askLoops(\.viewerCounts) { sum.merge(counts, uniquingKeysWith: +) }
        for viewer in context?.playbacks.sessions.viewers ?? [] { sum[viewer.path, default: 0] += 1 }
        return sum
    }

    /// What each event loop has sent to live viewers.
    public func liveStatistics() async -> [LiveStatistics] {
        await askLoops(\.statistics)
    }

    /// Ends the live bodies of a stream. The caller no longer serves this stream, or its input has ended for good.
    public func withdraw(_ stream: Streams.Stream) async {
        await askLoops { loop in loop.end { $0.facts.path.stream === stream ? .streamRemoved : nil } }
        // Players get the end of the playlist if the input has ended.
        guard let context, !stream.hasEnded else { return }
        context.playbacks.sessions.withdraw(stream, context)
        await context.playbacks.end(stream)
    }

    /// Ends the bodies that are no longer permitted.
    public func reviewViewers() async {
        await askLoops { $0.review() }
        if let context { context.playbacks.sessions.review(context) }
    }

    /// Disconnects a viewer.
    ///
    /// - Parameter id: that of its status.
    /// - Returns: whether there is such a viewer.
    public func disconnect(viewer id: String) async -> Bool {
        if let context, context.playbacks.sessions.disconnect(viewer: id, context) { return true }
        return await askLoops { loop in
            var isFound = false
            loop.end { viewer in
                guard viewer.id == id else { return nil }
                isFound = true
                return .disconnected
            }
            return isFound
        }.contains(true)
    }
}
