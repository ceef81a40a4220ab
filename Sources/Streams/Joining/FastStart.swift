import Media

/// What a joining viewer is sent first: all frames since a keyframe (the GOP cache), compressed in time into a short window, and
/// the newest unit of each other track.
///
/// The first frame therefore shows within one frame interval wherever in a GOP the viewer joins, and players that probe get
/// their frames at once. The timestamps of a fast start do not denote capture times.
public struct FastStart: Sendable {
    /// Bounds of a fast start.
    public struct Limits: Hashable, Sendable {
        /// Frames that players probe. If the last keyframe is younger, the fast start begins at an earlier one.
        public var minimumFrames: Int
        /// A longer history is not replayed, because decoding it would take the player too long.
        public var maximumFrames: Int
        /// A larger history is not replayed, because pacing it would take longer than 200 ms.
        public var maximumByteCount: Int

        public init(minimumFrames: Int = 20, maximumFrames: Int = 150, maximumByteCount: Int = 1_000_000) {
            self.minimumFrames = minimumFrames
            self.maximumFrames = maximumFrames
            self.maximumByteCount = maximumByteCount
        }
    }

    /// The units in sending order.
    public let units: [AccessUnit]
    /// Maps units that follow live but are shown before the newest unit of the fast start (late B-frames).
    public let compression: TimeCompression?
    /// The track that `compression` applies to.
    public let track: TrackID?

    /// Makes the fast start of `history`, which is in capture order; `nil` if there is no keyframe or the limits are exceeded.
    ///
    /// - Parameters:
    ///   - leading: the stream's leading track, whose keyframes viewers can start at.
    ///   - window: duration of the compressed history, in nanoseconds.
    ///   - distance: the shortest time between two units, in nanoseconds: the precision of times in the viewer's format. A history of many
    ///     units may then be longer than the window.
    public init?(history: [AccessUnit], leading: Track, window: Int64, distance: Int64 = 0, limits: Limits) {
        guard let start = Self.start(in: history, leading: leading, limits: limits) else { return nil }
        let leadingUnits = history[start...].filter { $0.track == leading.id }
        let companions = Self.newestOfOthers(in: history, leading: leading.id)
        guard leading.codec.facts.randomAccess == .keyframes else {
            units = companions + leadingUnits
            compression = nil
            track = nil
            return
        }
        let times = leadingUnits.map(\.presentationTime.ticks)
        // `leadingUnits` contains the start, so there is a minimum and a maximum.
        let ticks = leading.clockRate.ticks(inNanoseconds: window)
        let compression = TimeCompression(first: times.min() ?? 0, newest: times.max() ?? 0, window: ticks)
        let step = max(1, leading.clockRate.ticks(inNanoseconds: distance))
        units = Self.compressed(Array(leadingUnits), by: compression, window: ticks, step: step) + companions
        self.compression = compression
        track = leading.id
    }

    /// The index of the unit to start with: the last keyframe, or an earlier one if the last is younger than players need and the
    /// limits allow it; `nil` if no keyframe lies within the limits.
    private static func start(in history: [AccessUnit], leading: Track, limits: Limits) -> Int? {
        if leading.codec.facts.randomAccess == .everyUnit { return history.lastIndex { $0.track == leading.id } }
        var frames = 0
        var byteCount = 0
        var candidate: Int?
        for index in history.indices.reversed() where history[index].track == leading.id {
            if history[index].part.isStart { frames += 1 }
            byteCount += history[index].bytes.count
            guard frames <= limits.maximumFrames, byteCount <= limits.maximumByteCount else { return candidate }
            guard history[index].isKeyframe else { continue }
            candidate = index
            if frames >= limits.minimumFrames { return index }
        }
        return candidate
    }

    private static func newestOfOthers(in history: [AccessUnit], leading: TrackID) -> [AccessUnit] {
        var seen: Set<TrackID> = [leading]
        var newest: [AccessUnit] = []
        for unit in history.reversed() where seen.insert(unit.track).inserted {
            newest.append(unit)
        }
        return newest.reversed()
    }

    /// The units with their times compressed, each different from the others by at least a step.
    ///
    /// Decode times are compressed separately, because they end where the decode time of the next unit continues.
    private static func compressed(
        _ units: [AccessUnit], by compression: TimeCompression, window: Int64, step: Int64
    ) -> [AccessUnit] {
        let presentation = map(units.map(\.presentationTime.ticks), by: compression, step: step)
        let decodeTimes = units.map(\.decodeTime.ticks)
        let decode = map(
            decodeTimes,
            by: TimeCompression(first: decodeTimes.min() ?? 0, newest: decodeTimes.max() ?? 0, window: window),
            step: step)
        return units.map { unit in
            var (shown, decoded) = (unit.presentationTime, unit.decodeTime)
            shown.ticks = presentation[shown.ticks] ?? shown.ticks
            decoded.ticks = min(decode[decoded.ticks] ?? decoded.ticks, shown.ticks)
            return unit.at(presentationTime: shown, decodeTime: decoded)
        }
    }

    /// The compressed time of each of `times`: in the same order, and no two closer than a step.
    private static func map(_ times: [Int64], by compression: TimeCompression, step: Int64) -> [Int64: Int64] {
        var mapped: [Int64: Int64] = [:]
        var following = Int64.max
        for ticks in Set(times).sorted(by: >) {
            following = min(compression(ticks), following &- step)
            mapped[ticks] = following
        }
        return mapped
    }
}
