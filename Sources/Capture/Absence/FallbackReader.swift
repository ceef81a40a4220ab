import Media
import Reactor
import Streams

/// Reads the frames of another path, which are shown while a source is absent. The other path is in use as long as the reader
/// exists. Confined to one thread, except for the doorbell.
final class FallbackReader {
    /// What the other path has for viewers of the announced tracks.
    enum Units {
        /// From a keyframe on, in the announced tracks. `missing` tracks are silent.
        case units([AccessUnit], missing: [TrackID])
        /// It has announced no tracks.
        case none
        /// Its tracks cannot take the place of the announced ones.
        case incompatible([Track])
    }

    let stream: Stream
    private let use: StreamUse
    private let doorbell: Doorbell
    private var reader: ParentStreamReader?
    private var places: TrackPlaces?
    private var isWaitingForKeyframe = true
    /// Units that were read to see whether there are any.
    private var waiting: [AccessUnit] = []

    /// Older frames than this, in nanoseconds, are not shown: the other path has paused.
    private static let longestAge: Int64 = 1_000_000_000

    init(_ stream: Stream, doorbell: Doorbell) {
        (self.stream, self.doorbell) = (stream, doorbell)
        use = StreamUse(of: stream)
    }

    /// Starts at a keyframe again, because something else has been shown.
    func interrupt() { (isWaitingForKeyframe, waiting) = (true, []) }

    /// Whether there are units to show.
    func isReady(for announced: [Track]) -> Bool {
        guard case .units(let units, _) = units(for: announced) else { return false }
        waiting = units
        return !units.isEmpty
    }

    /// The units since the last call.
    func units(for announced: [Track]) -> Units {
        if reader?.hasEnded == true { (reader, waiting) = (nil, []) }
        let isNew = reader == nil
        guard let reader = reader ?? ParentStreamReader(stream, doorbell: doorbell) else { return .none }
        self.reader = reader
        if reader.hasNewAnnouncement() || isNew || places == nil {
            places = TrackPlaces(of: reader.tracks, among: announced)
            if isNew { begin(reader) }
        }
        guard let places else { return .incompatible(reader.tracks) }
        let units = reader.take().compactMap(places.place)
        defer { waiting = [] }
        return .units(waiting + fromKeyframe(units, announced), missing: places.missing)
    }

    /// Begins with the newest keyframe, if the other path is running.
    private func begin(_ reader: ParentStreamReader) {
        isWaitingForKeyframe = true
        let now = stream.clock.now - stream.epoch
        guard let leading = reader.tracks.leading, let newest = reader.newestTime,
            now - newest.nanoseconds < Self.longestAge
        else { return }
        reader.rewind(toKeyframeOf: leading.id)
        stream.requestKeyframe(at: stream.clock.now)
    }

    private func fromKeyframe(_ units: [AccessUnit], _ announced: [Track]) -> [AccessUnit] {
        guard isWaitingForKeyframe, let leading = announced.leading?.id else { return units }
        guard let start = units.firstIndex(where: { $0.track == leading && $0.isKeyframe && $0.part.isStart }) else {
            return []
        }
        isWaitingForKeyframe = false
        return Array(units[start...])
    }
}
