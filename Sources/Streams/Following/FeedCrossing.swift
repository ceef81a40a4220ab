import Media

/// How a follower goes from one feed to another that has the same tracks and media times, as the feeds of a path and of its substream
/// have: it goes on at a keyframe of the other feed, and each track continues without an output twice. A plain value.
public struct FeedCrossing: Sendable {
    /// The index in the other feed of the first output that may be sent.
    public let index: Int64
    /// How many frames of the former feed are left out: those before the keyframe that were not sent.
    public let skippedCount: Int
    /// The media time, in nanoseconds, from which outputs of each track are sent; `nil` after the first.
    private var resumption: [Int64?]

    /// How long the former feed may stay behind the keyframe, in nanoseconds. It is encoded later than the other if it is the substream.
    private static let patience: Int64 = 250_000_000

    /// The way that a follower can go now; `nil` if it must wait, for a keyframe or for the rest of a frame.
    ///
    /// - Parameters:
    ///   - trackCount: the number of tracks in either feed.
    ///   - leading: the track that decides at which keyframes it can start.
    ///   - isUrgent: whether it goes to the newest keyframe at once. Otherwise it is first sent the frames before the keyframe.
    public init?<Output: PackagedUnit>(
        of follower: Follower<Output>, from source: FeedView<Output>, to target: FeedView<Output>, trackCount: Int,
        leading: TrackID, isUrgent: Bool
    ) {
        let position = max(follower.position.index, source.startIndex)
        let next = source.firstOutput(of: leading, from: position)
        guard !follower.isInFastStart, follower.position.offset == 0, next?.part.isStart != false else { return nil }
        let last = source.lastTime(of: leading, before: position)
        guard let keyframe = target.keyframe(of: leading, after: last, isNewest: isUrgent),
            let time = target.output(at: keyframe)?.presentationTime.nanoseconds
        else { return nil }
        let isDue =
            next.map { $0.presentationTime.nanoseconds >= time }
            ?? target.output(at: target.endIndex - 1).map { $0.presentationTime.nanoseconds - time > Self.patience }
        guard isUrgent || isDue == true else { return nil }
        let starts = (0..<trackCount).map { index in
            index == leading.index
                ? time : source.lastTime(of: TrackID(index), before: position).map { $0 + 1 } ?? time
        }
        resumption = starts
        index =
            (target.startIndex..<keyframe).first {
                let output = target.reader[$0]
                return output.track != leading && output.presentationTime.nanoseconds >= starts[output.track.index]
            } ?? keyframe
        skippedCount = source.frameCount(of: leading, from: position, before: time)
    }

    /// Whether a follower that goes to a better rendition is sent nothing for a moment: its next frame is later than all that the other
    /// feed has. If the follower were sent it, a keyframe of that time would come too late to go on with. The other feed is waited for
    /// for a quarter of a second.
    public static func waits<Output: PackagedUnit>(
        _ follower: Follower<Output>, in source: FeedView<Output>, for target: FeedView<Output>, leading: TrackID
    ) -> Bool {
        let position = max(follower.position.index, source.startIndex)
        guard let next = source.firstOutput(of: leading, from: position)?.presentationTime.nanoseconds,
            let newest = source.lastTime(of: leading, before: source.endIndex),
            let reached = target.lastTime(of: leading, before: target.endIndex)
        else { return false }
        return next > reached && newest - next < patience
    }

    /// Goes on at the next keyframe of a feed, whatever was sent of the former one.
    ///
    /// - Parameter target: all that it contains is left out.
    public init<Output>(toTheEndOf target: FeedView<Output>) {
        index = target.endIndex
        skippedCount = 0
        resumption = []
    }

    /// Whether all tracks have begun in the other feed.
    public var isComplete: Bool { resumption.allSatisfy { $0 == nil } }

    /// Whether an output of the other feed, which is next, is sent.
    public mutating func admits(_ output: some PackagedUnit) -> Bool {
        guard output.track.index < resumption.count, let first = resumption[output.track.index] else { return true }
        guard output.presentationTime.nanoseconds >= first else { return false }
        resumption[output.track.index] = nil
        return true
    }
}

extension FeedView {
    /// The first output of a track at or after an index.
    fileprivate func firstOutput(of track: TrackID, from index: Int64) -> Output? {
        (index..<max(index, endIndex)).lazy.map { self.reader[$0] }.first { $0.track == track }
    }

    /// The media time of the last output of a track before an index, in nanoseconds.
    public func lastTime(of track: TrackID, before index: Int64) -> Int64? {
        let end = min(index, endIndex)
        return (startIndex..<max(startIndex, end)).reversed().lazy.map { self.reader[$0] }
            .first { $0.track == track }?.presentationTime.nanoseconds
    }

    /// The index of the oldest or newest keyframe of a track that is later than a media time in nanoseconds.
    fileprivate func keyframe(of track: TrackID, after time: Int64?, isNewest: Bool) -> Int64? {
        let matches = { (index: Int64) in
            let output = self.reader[index]
            return output.track == track && output.isRandomAccessPoint
                && output.presentationTime.nanoseconds > time ?? .min
        }
        let indices = startIndex..<endIndex
        return isNewest ? indices.last(where: matches) : indices.first(where: matches)
    }

    /// How many frames of a track from an index on are earlier than a media time in nanoseconds.
    fileprivate func frameCount(of track: TrackID, from index: Int64, before time: Int64) -> Int {
        (index..<max(index, endIndex)).lazy.map { self.reader[$0] }
            .count { $0.track == track && $0.part.isStart && $0.presentationTime.nanoseconds < time }
    }
}
