import Media

/// One loop's view of a feed, which all its followers share, with what is measured in it. Confined to the loop.
public final class FeedView<Output: PackagedUnit> {
    /// The outputs in view. The feed adds new ones (``Feed/update(_:)``).
    public var reader = FeedReader<Output>()
    /// The last value of `nanosecondsPerByte`, for outputs before `endIndex`.
    @usableFromInline var byteDuration: (endIndex: Int64, nanoseconds: Int64) = (-1, 0)

    @inlinable
    public init() {}

    /// The index of the oldest output in view.
    @inlinable
    public var startIndex: Int64 { reader.startIndex }
    /// The index after the newest.
    @inlinable
    public var endIndex: Int64 { reader.endIndex }

    /// The output at `index`; `nil` if it is not in view.
    @inlinable
    public func output(at index: Int64) -> Output? {
        index >= reader.startIndex && index < reader.endIndex ? reader[index] : nil
    }

    /// Media time per byte over the last outputs, about two seconds of a file. Computed once per output.
    @inlinable
    public var nanosecondsPerByte: Int64 {
        if byteDuration.endIndex != endIndex { byteDuration = (endIndex, measuredByteDuration) }
        return byteDuration.nanoseconds
    }

    @usableFromInline var measuredByteDuration: Int64 {
        let first = max(startIndex, endIndex - 150)
        guard let newest = output(at: endIndex - 1), let oldest = output(at: first), first < endIndex - 1 else {
            return 0
        }
        var byteCount: Int64 = 1
        for index in first..<(endIndex - 1) { byteCount += Int64(reader[index].byteCount) }
        return max(0, newest.presentationTime.nanoseconds &- oldest.presentationTime.nanoseconds) / byteCount
    }

    /// The time between the output at `index` and the one before it in its track, in nanoseconds; 0 if that is not in view.
    public func interval(before index: Int64) -> Int64 {
        guard let output = output(at: index) else { return 0 }
        for earlier in stride(from: index - 1, through: max(startIndex, index - 32), by: -1) {
            guard let before = self.output(at: earlier), before.track == output.track, before.part.isStart else {
                continue
            }
            return max(0, output.presentationTime.nanoseconds &- before.presentationTime.nanoseconds)
        }
        return 0
    }

    /// The index of the newest keyframe of `track` at or after `index`, if it is at most `age` nanoseconds old.
    public func recentKeyframe(from index: Int64, of track: TrackID, within age: Int64) -> Int64? {
        guard let newest = output(at: endIndex - 1)?.presentationTime.nanoseconds else { return nil }
        for candidate in stride(from: endIndex - 1, through: index, by: -1) {
            guard let output = output(at: candidate), newest &- output.presentationTime.nanoseconds <= age else {
                return nil
            }
            if output.track == track, output.isRandomAccessPoint { return candidate }
        }
        return nil
    }

    /// The index at which a receiver begins that waits for a keyframe: early enough to include, of each of `others`, an output that is not
    /// later than the newest one of `leading`, if there is one within 128 ms.
    ///
    /// Audio that begins after the keyframe would spoil recordings without transcoding: ffmpeg does not know the time of the first frame
    /// that it receives, and sets it to the start of the file.
    public func liveStart(leading: TrackID, others: Set<TrackID>) -> Int64 {
        guard let newest = output(at: endIndex - 1)?.presentationTime.nanoseconds else { return endIndex }
        var (start, missing) = (endIndex, others)
        var newestLeading = Int64.min
        for index in stride(from: endIndex - 1, through: startIndex, by: -1) where !missing.isEmpty {
            let output = reader[index]
            let time = output.presentationTime.nanoseconds
            if newest &- time > Self.longestAudioUnit { break }
            if output.track == leading { newestLeading = max(newestLeading, time) }
            guard time <= newestLeading, output.isRandomAccessPoint else { continue }
            if missing.remove(output.track) != nil { start = index }
        }
        return start
    }

    /// 1 024 samples at 8 kHz, in nanoseconds.
    private static var longestAudioUnit: Int64 { 128_000_000 }
}
