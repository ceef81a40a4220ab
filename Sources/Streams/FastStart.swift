import Media

/// What a joining viewer gets first: the pictures from a random access point to now, squeezed into a short window,
/// and the newest unit of each other track.
///
/// So the first picture shows within a frame's time at any phase of the group of pictures, and players that probe get the
/// frames they probe on at once. Prelude times denote no capture time.
public struct FastStart: Sendable {
    /// How preludes are made.
    public struct Limits: Hashable, Sendable {
        /// Frames that players probe on: where the last random access point is younger, the prelude starts one earlier.
        public var minimumFrames: Int
        /// More pictures than this are not replayed: decoding them would take the player too long.
        public var maximumFrames: Int
        /// More bytes than this are not replayed: pacing them would take longer than 200 ms.
        public var maximumByteCount: Int

        public init(minimumFrames: Int = 20, maximumFrames: Int = 150, maximumByteCount: Int = 1_000_000) {
            self.minimumFrames = minimumFrames
            self.maximumFrames = maximumFrames
            self.maximumByteCount = maximumByteCount
        }
    }

    /// In the order in which they are to be sent.
    public let units: [AccessUnit]
    /// For units that follow live but are shown before the newest of the prelude (late B-pictures).
    public let compression: TimeCompression?
    /// The track that `compression` concerns.
    public let track: TrackID?

    /// The prelude of `history`, which is in capture order; `nil` where there is no random access point or the limits forbid it.
    ///
    /// - Parameters:
    ///   - leading: the track that decides where one can start: the video, else the first.
    ///   - window: how long the squeezed history lasts, in nanoseconds.
    public init?(history: [AccessUnit], leading: Track, window: Int64, limits: Limits) {
        guard let start = Self.start(in: history, leading: leading, limits: limits) else { return nil }
        let leadingUnits = history[start...].filter { $0.track == leading.id }
        let companions = Self.newestOfOthers(in: history, leading: leading.id)
        guard leading.kind == .video else {
            units = companions + leadingUnits
            compression = nil
            track = nil
            return
        }
        let times = leadingUnits.map(\.presentationTime.ticks)
        // The start exists, so there is a least and a greatest time.
        let ticks = leading.clockRate.ticks(inNanoseconds: window)
        let compression = TimeCompression(first: times.min() ?? 0, newest: times.max() ?? 0, window: ticks)
        units = Self.compressed(Array(leadingUnits), by: compression, window: ticks) + companions
        self.compression = compression
        track = leading.id
    }

    /// Index of the unit to start with: the last random access point, or the one before where that is younger than players
    /// like and the limits allow it; `nil` where nothing within the limits can be started with.
    private static func start(in history: [AccessUnit], leading: Track, limits: Limits) -> Int? {
        if leading.kind == .audio { return history.lastIndex { $0.track == leading.id } }
        var frames = 0
        var byteCount = 0
        var candidate: Int?
        for index in history.indices.reversed() where history[index].track == leading.id {
            if history[index].part.isStart { frames += 1 }
            byteCount += history[index].bytes.count
            guard frames <= limits.maximumFrames, byteCount <= limits.maximumByteCount else { return candidate }
            guard history[index].isKeyframe else { continue }
            // One step back is enough: a second IDR in 20 frames means that IDRs are plentiful.
            if candidate != nil || frames >= limits.minimumFrames { return index }
            candidate = index
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

    /// The units at their squeezed times, all different by at least a tick.
    ///
    /// Decode times are squeezed by themselves, for they end where the next unit's go on.
    private static func compressed(_ units: [AccessUnit], by compression: TimeCompression, window: Int64)
        -> [AccessUnit]
    {
        let presentation = map(units.map(\.presentationTime.ticks), by: compression)
        let decodeTimes = units.map(\.decodeTime.ticks)
        let decode = map(
            decodeTimes,
            by: TimeCompression(first: decodeTimes.min() ?? 0, newest: decodeTimes.max() ?? 0, window: window))
        return units.map { unit in
            var (shown, decoded) = (unit.presentationTime, unit.decodeTime)
            shown.ticks = presentation[shown.ticks] ?? shown.ticks
            decoded.ticks = min(decode[decoded.ticks] ?? decoded.ticks, shown.ticks)
            return unit.at(presentationTime: shown, decodeTime: decoded)
        }
    }

    /// Where each of these instants goes, in the same order, no two to the same.
    private static func map(_ times: [Int64], by compression: TimeCompression) -> [Int64: Int64] {
        var mapped: [Int64: Int64] = [:]
        var following = Int64.max
        for ticks in Set(times).sorted(by: >) {
            following = min(compression(ticks), following &- 1)
            mapped[ticks] = following
        }
        return mapped
    }
}
