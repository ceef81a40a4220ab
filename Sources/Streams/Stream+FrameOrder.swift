import Media

extension Stream {
    /// The video tracks with B-frames: recent frames were presented in another order than they are decoded.
    ///
    /// The parameter sets of many encoders do not tell it, but the frames' times do. Each call reads the whole history under the stream's
    /// lock, so it is for the moment in which a viewer joins. It knows nothing of a source that has not sent two B-frames yet.
    public var reorderedTracks: Set<TrackID> {
        state.withLock { state in
            let tracks = state.announcement?.tracks.filter { $0.kind == .video }.map(\.id) ?? []
            var orders = Dictionary(tracks.map { ($0, FrameOrder()) }) { first, _ in first }
            for index in state.ring.startIndex..<state.ring.endIndex {
                let unit = state.ring[index]
                if unit.part.isStart { orders[unit.track]?.add(unit) }
            }
            return Set(orders.filter(\.value.isReordered).keys)
        }
    }
}

/// Finds frames of one track that are presented before another frame that is decoded earlier.
private struct FrameOrder {
    /// A single one may come from a clock that was set back.
    private static let leastCount = 2

    private var latest = Int64.min
    private var count = 0

    var isReordered: Bool { count >= Self.leastCount }

    mutating func add(_ unit: AccessUnit) {
        let time = unit.presentationTime.ticks
        // No frame is presented before a keyframe and decoded after it but those of its own group, which are before the keyframe itself.
        // So the times of another source, which begins with a keyframe, are not compared with those of the former one.
        if unit.isKeyframe { latest = time }
        if time < latest { count += 1 }
        latest = max(latest, time)
    }
}
