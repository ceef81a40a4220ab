import Media

/// The video of a stream from a keyframe up to the newest frame.
public struct RecentFrames: Sendable {
    public let codec: Codec
    /// In decoding order. The first one is a keyframe, and the last one is complete.
    public let units: [AccessUnit]
    public let newest: FrameID
}

/// Names a frame of a stream. No other frame of the stream has the same name.
public struct FrameID: Hashable, Sendable {
    /// How often tracks had been announced.
    public let announcementCount: UInt64
    /// The decode time.
    public let ticks: Int64
}

extension Stream {
    /// The newest complete frame, if the history has a keyframe before it.
    public var newestFrame: FrameID? {
        state.withLock { state in
            Self.recentRange(of: state, keyframes: 1).map { FrameID(state, state.ring[$0.upperBound]) }
        }
    }

    /// The video from the last keyframe on; `nil` if the history has none, and without video.
    ///
    /// - Parameter count: begins at so many keyframes before the newest frame, as far as the history has them.
    public func recentFrames(keyframes count: Int = 1) -> RecentFrames? {
        state.withLock { state in
            guard let track = Self.video(of: state), let range = Self.recentRange(of: state, keyframes: count) else {
                return nil
            }
            let units = range.map { state.ring[$0] }.filter { $0.track == track.id }
            return RecentFrames(
                codec: track.codec, units: units, newest: FrameID(state, state.ring[range.upperBound]))
        }
    }

    private static func video(of state: borrowing State) -> Track? {
        state.isAsleep || state.hasEnded ? nil : state.announcement?.tracks.first { $0.kind == .video }
    }

    /// The indices from a keyframe to the end of the newest complete frame.
    private static func recentRange(of state: borrowing State, keyframes: Int) -> ClosedRange<Int64>? {
        guard let track = video(of: state) else { return nil }
        var (first, last): (Int64?, Int64?) = (nil, nil)
        var rest = keyframes
        for index in (state.ring.startIndex..<state.ring.endIndex).reversed() {
            let unit = state.ring[index]
            guard unit.track == track.id else { continue }
            if last == nil, unit.part.isEnd { last = index }
            guard last != nil, unit.isKeyframe, unit.part.isStart else { continue }
            first = index
            rest -= 1
            if rest == 0 { break }
        }
        guard let first, let last else { return nil }
        return first...last
    }
}

extension FrameID {
    fileprivate init(_ state: borrowing Stream.State, _ unit: AccessUnit) {
        self.init(announcementCount: state.announcementCount, ticks: unit.decodeTime.ticks)
    }
}
