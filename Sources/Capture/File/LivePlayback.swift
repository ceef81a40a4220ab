import Media
import Muxing
import RTP
import Streams

/// Publishes the units of a live container, such as MPEG-TS from a pipe or over HTTP, as soon as they have come.
///
/// A unit's time is that of the unit with the least delay, and the container's times give the distance of all others from it
/// (`ReceptionTimeline`). An input that comes faster than real time, such as a file in a pipe or the segments of HLS, is slowed down.
/// For one thread.
final class LivePlayback {
    /// How far the input may be ahead of real time before it is slowed down, in nanoseconds: what servers send of the past at once,
    /// and what libavformat reads to detect the formats.
    private static let burstLimit: Int64 = 5_000_000_000
    /// Containers may store a track some seconds behind another; a larger step is a jump.
    private static let jumpThreshold: Int64 = 10_000_000_000

    private let demuxer: Demuxer
    private let tracks: [any FileTrack]
    private let clock: PaceClock
    private let stop: StopSignal
    private let epoch: MonotonicTime
    private var output: TrackOutput
    private var capture = ReceptionTimeline(clockRates: [.video], jumpThreshold: jumpThreshold)
    private var timeline = FileTimeline(origin: 0)
    /// The first unit, and when it came.
    private var first: (decode: Int64, arrival: MonotonicTime)?

    init(
        _ demuxer: Demuxer, _ tracks: [any FileTrack], into output: SourceOutput, clock: PaceClock, stop: StopSignal
    ) {
        (self.demuxer, self.tracks, self.clock, self.stop) = (demuxer, tracks, clock, stop)
        epoch = output.epoch
        self.output = TrackOutput(output, tracks)
    }

    /// Plays until stopped, or until the input ends.
    func play() throws(SourceFailure) {
        output.announceIfChanged()
        for track in tracks { try track.beginPass(offset: 0) }
        while !stop.isSet, let packet = try demuxer.nextPacket() {
            guard let track = zip(demuxer.tracks, tracks).first(where: { $0.0.index == packet.track })?.1 else {
                continue
            }
            guard send(try track.units(of: packet)) else { return }
        }
        for track in tracks { guard send(try track.endPass()) else { return } }
        if first == nil, !stop.isSet { throw FilePlayback.nothingToPlay }
    }

    /// - Returns: false if stopped.
    private func send(_ units: [TimedUnit]) -> Bool {
        for unit in units { guard send(unit) else { return false } }
        return !stop.isSet
    }

    private func send(_ unit: TimedUnit) -> Bool {
        guard slowDown(unit) else { return false }
        let arrival = clock.now()
        let ticks = UInt32(truncatingIfNeeded: ClockRate.video.ticks(inNanoseconds: unit.decode))
        let captured = capture.capture(of: ticks, track: 0, arrival: arrival)
        timeline.align(unit, to: captured - epoch)
        output.publish(timeline.place(unit, on: tracks[unit.track.index].track))
        return true
    }

    /// Waits if the input is too far ahead of real time.
    ///
    /// - Returns: false if stopped.
    private func slowDown(_ unit: TimedUnit) -> Bool {
        let now = clock.now()
        guard let first else {
            first = (unit.decode, now)
            return true
        }
        let media = unit.decode &- first.decode
        let ahead = media &- (now - first.arrival)
        // After a pause or a jump of the times, real time counts from here.
        guard (-Self.burstLimit...2 * Self.burstLimit).contains(ahead) else {
            self.first = (unit.decode, now)
            return true
        }
        guard ahead > Self.burstLimit else { return true }
        return clock.wait(first.arrival + (media &- Self.burstLimit), stop)
    }
}
