import Media
import Muxing
import Streams

/// One run of a file: reads, interleaves and publishes each unit at its time; can restart at the end.
final class FilePlayback {
    private let demuxer: Demuxer
    private let tracks: [any FileTrack]
    private let clock: PaceClock
    private let stop: StopSignal
    private let epoch: MonotonicTime
    private var output: TrackOutput
    private var interleaver: Interleaver
    private var timeline: FileTimeline
    private var offset: Int64
    /// The extents of the tracks in this pass.
    private var extents: [TrackID: Extent] = [:]
    /// The latest end of all units sent so far, in nanoseconds on the stream's clock.
    private var endOfUnits: Int64?

    /// The time span of one track's units, in nanoseconds on the file's timeline.
    private struct Extent {
        /// The first decode time.
        let start: Int64
        /// The latest end of a unit.
        var end: Int64
        /// The last unit's decode time, in the file and as sent.
        var last: (original: Int64, sent: Int64)
    }

    /// If the source is later than this, it was too slow or the machine was suspended: playback continues from now without hurry.
    private static let latenessLimit: Int64 = 1_000_000_000
    /// The minimum interval between two units of a track. Without it, a file whose decode times do not advance would be sent
    /// without a pause: one with frames of 10 µs produced 35 000 frames (800 Mbit) per second. No camera or video has more than
    /// 1000 frames per second.
    private static let minimumUnitDuration: Int64 = 1_000_000
    /// A file with a single frame repeats it a hundred times per second.
    private static let minimumPassDuration: Int64 = 10_000_000
    /// A longer gap in a file's times is closed.
    private static let maximumGap: Int64 = 10_000_000_000

    init(
        _ demuxer: Demuxer, _ tracks: [any FileTrack], into output: SourceOutput, clock: PaceClock, stop: StopSignal
    ) {
        self.demuxer = demuxer
        self.tracks = tracks
        self.clock = clock
        self.stop = stop
        epoch = output.epoch
        self.output = TrackOutput(output, tracks)
        interleaver = Interleaver(trackCount: tracks.count)
        // In nearly all clock rates, whole milliseconds are whole ticks, so equal steps in the file stay equal.
        let now = clock.now() - epoch
        timeline = FileTimeline(origin: now - now % 1_000_000 + 1_000_000)
        offset = 0 &- demuxer.firstDecode
    }

    /// Plays until stopped, or once if `loops` is false.
    func play(loops: Bool) throws(SourceFailure) {
        output.announceIfChanged()
        while true {
            extents = [:]
            for track in tracks { try track.beginPass(offset: offset) }
            guard try playPass() else { return }
            guard loops else { break }
            try advance()
        }
        if extents.isEmpty { throw Self.nothingToPlay }
        while let unit = interleaver.next(isAtEnd: true) { guard send(unit) else { return } }
        // The last frame is shown for its duration, too.
        if let endOfUnits { _ = clock.wait(epoch + endOfUnits, stop) }
    }

    static let nothingToPlay = SourceFailure(
        reason: "the file ends before its first video or audio frame",
        remedy: "check that the file is complete and that ffprobe can read it")

    /// Plays the file once; false if stopped.
    private func playPass() throws(SourceFailure) -> Bool {
        while let packet = try demuxer.nextPacket() {
            guard let track = track(of: packet) else { continue }
            guard try accept(track.units(of: packet)) else { return false }
        }
        for track in tracks { guard try accept(track.endPass()) else { return false } }
        return !stop.isSet
    }

    private func track(of packet: DemuxedPacket) -> (any FileTrack)? {
        zip(demuxer.tracks, tracks).first { $0.0.index == packet.track }?.1
    }

    private func accept(_ units: [TimedUnit]) throws(SourceFailure) -> Bool {
        for unit in units { interleaver.push(spaced(unit)) }
        while let unit = interleaver.next() { guard send(unit) else { return false } }
        return !stop.isSet
    }

    /// The unit, at least `minimumUnitDuration` after the previous unit of its track.
    ///
    /// If a time jumps back by more than `latenessLimit`, it stays: `send` shifts all following units of all tracks equally.
    private func spaced(_ unit: TimedUnit) -> TimedUnit {
        var spaced = unit
        if let last = extents[unit.track]?.last, unit.decode > last.original &- Self.latenessLimit {
            spaced.decode = max(unit.decode, last.sent &+ Self.minimumUnitDuration)
            spaced.presentation = max(unit.presentation, spaced.decode)
        }
        let end = spaced.decode &+ max(unit.duration, Self.minimumUnitDuration)
        let former = extents[unit.track]
        extents[unit.track] = Extent(
            start: min(former?.start ?? spaced.decode, spaced.decode), end: max(former?.end ?? end, end),
            last: (unit.decode, spaced.decode))
        return spaced
    }

    /// Starts the next pass after the length of the longest track, so that no track overlaps with itself.
    private func advance() throws(SourceFailure) {
        guard let length = extents.values.map({ $0.end &- $0.start }).max(), length > 0 else {
            throw Self.nothingToPlay
        }
        offset = offset &+ max(length, Self.minimumPassDuration)
        do { try demuxer.rewind() } catch { throw SourceFailure(error) }
    }

    /// Waits for the unit's time and publishes it; false if stopped.
    private func send(_ unit: TimedUnit) -> Bool {
        let lateness = (clock.now() - epoch) &- timeline.due(unit)
        if lateness < 0 &- Self.maximumGap { timeline.slip(by: lateness) }
        // Advances by at least one unit, because a file may jump back at every unit.
        if lateness > Self.latenessLimit { timeline.slip(by: lateness &+ Self.minimumUnitDuration) }
        guard clock.wait(epoch + timeline.due(unit), stop) else { return false }
        output.publish(timeline.place(unit, on: tracks[unit.track.index].track))
        // A duration that spans a gap is shortened, because the gap is closed.
        endOfUnits = max(endOfUnits ?? .min, timeline.due(unit) &+ min(unit.duration, Self.maximumGap))
        return true
    }
}

extension SourceFailure {
    init(_ failure: DemuxFailure) { self.init(reason: failure.reason, remedy: failure.remedy) }
}
