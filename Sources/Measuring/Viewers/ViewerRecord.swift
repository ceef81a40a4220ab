import Media
import RTSPClient
import Reactor
import SDP

/// The counters and times of one viewer.
final class ViewerRecord {
    /// How a viewer behaves.
    enum Kind: Hashable {
        /// Receives everything to the end.
        case steady
        /// Stops reading its connection after PLAY.
        case stalled
        /// Reads its connection at half the stream's rate.
        case halfRate
        /// Disappears soon, without TEARDOWN.
        case churning
    }

    let kind: Kind
    let opened: MonotonicTime
    private(set) var playing: MonotonicTime?
    private(set) var firstPacket: MonotonicTime?
    /// When the first keyframe was complete.
    private(set) var firstKeyframe: MonotonicTime?
    /// Why the viewer ended; `nil` while it has not.
    var end: ViewerEnd?
    private(set) var byteCount: UInt64 = 0
    private(set) var unitsInTime: UInt64 = 0
    /// The longest time from capture to arrival, in nanoseconds.
    private(set) var oldestFrame: Int64 = 0
    /// The longest time from capture to arrival after the fast start and its backlog: after `settlingNanoseconds` of packets.
    private(set) var oldestSettledFrame: Int64 = 0
    private(set) var tracks: [TrackRecord] = []
    /// Index of the evaluated track: the first video track, else the first track.
    private var mainTrack = 0

    static let settlingNanoseconds: Int64 = 5_000_000_000
    /// How long arriving units may belong to a fast start, and are not live.
    private static let fastStartNanoseconds: Int64 = 1_000_000_000

    /// The counters of one track.
    struct TrackRecord {
        var loss = LossTracker()
        var units = AccessUnitTracker()
        var capture: CaptureClock
        var transit: TransitTime
        /// Whether each packet is a unit, whatever its marker says, as with Opus and G.711.
        var hasUnitPerPacket = false
        /// For the fragments of a file or of HLS.
        var fragments = FragmentNumbers()
        /// The hand-over time of the current unit, if the unit contains one.
        var handOver: (timestamp: UInt32, unixNanoseconds: Int64)?

        init(rate: ClockRate) {
            capture = CaptureClock(rate: rate)
            transit = TransitTime(rate: rate)
        }
    }

    /// A unit of the main track that arrived without loss.
    struct Frame {
        /// The capture time in nanoseconds since 1970; `nil` while unknown, and in the first second, because the timestamps of a
        /// fast start do not denote capture times.
        let captured: Int64?
        /// When the frame was handed to the server, if the frame contains a `HandOverTimestamp`; `nil` if `captured` is `nil`.
        let handOverTime: Int64?
        let arrival: MonotonicTime
        /// The arrival by the wall clock, in nanoseconds since 1970.
        let arrivalUnixNanoseconds: Int64
    }

    init(_ kind: Kind, opened: MonotonicTime) {
        self.kind = kind
        self.opened = opened
    }

    func described(rates: [ClockRate], mainTrack: Int) {
        tracks = rates.map { TrackRecord(rate: $0) }
        self.mainTrack = mainTrack
    }

    /// The session's description names these tracks.
    func described(_ described: [DescribedTrack]) {
        self.described(rates: described.map(\.clockRate), mainTrack: described.mainIndex)
        for index in described.indices {
            switch described[index].payload.codec {
            case .opus, .pcma, .pcmu: tracks[index].hasUnitPerPacket = true
            case .h264, .h265, .aac, nil: break
            }
        }
    }

    func played(firstSequenceNumbers: [UInt16?], at now: MonotonicTime) {
        playing = now
        for (index, number) in firstSequenceNumbers.enumerated() where tracks.indices.contains(index) {
            if let number { tracks[index].loss.announceFirst(number) }
        }
    }

    func reported(track: Int, time: NTPTime, timestamp: UInt32) {
        tracks[track].capture.received(time: time, timestamp: timestamp)
    }

    /// Counts a packet and returns the frame that it completes.
    func received(_ packet: borrowing ReceivedPacket, lateNanoseconds: Int64) -> Frame? {
        firstPacket = firstPacket ?? packet.arrival
        byteCount &+= UInt64(packet.byteCount)
        let index = packet.track
        if kind == .halfRate, index == mainTrack { recordAge(packet) }
        if let handOver = HandOverTimestamp.unixNanoseconds(in: packet.payload) {
            tracks[index].handOver = (packet.timestamp, handOver)
        }
        let placement = tracks[index].loss.received(packet.sequenceNumber)
        let unit = tracks[index].units.received(
            placement, timestamp: packet.timestamp, isMarked: packet.isMarked || tracks[index].hasUnitPerPacket,
            isKeyframe: packet.isKeyframe)
        guard let unit, let isLive = completed(unit, of: index, at: packet.arrival, lateNanoseconds) else { return nil }
        return Frame(
            captured: isLive ? tracks[mainTrack].capture.unixNanoseconds(of: unit.timestamp) : nil,
            handOverTime: isLive ? handOverTime(of: unit) : nil, arrival: packet.arrival,
            arrivalUnixNanoseconds: packet.arrivalUnixNanoseconds)
    }

    /// Counts a fragment of a file or of HLS and returns it as a frame if it is of the main track.
    func received(_ fragment: FragmentReader.Fragment, at now: MonotonicTime, lateNanoseconds: Int64) -> Frame? {
        firstPacket = firstPacket ?? now
        byteCount &+= UInt64(fragment.byteCount)
        let index = fragment.track
        _ = tracks[index].loss.received(tracks[index].fragments.number(of: fragment))
        // A fragment is whole, whatever the server has left out before it. It cannot come before its last frame, so its end counts: parts
        // of HLS differ in length.
        let unit = tracks[index].units.received(
            .next, timestamp: UInt32(truncatingIfNeeded: fragment.decodeTime &+ fragment.duration), isMarked: true,
            isKeyframe: fragment.isKeyframe)
        guard let unit, let isLive = completed(unit, of: index, at: now, lateNanoseconds) else { return nil }
        return Frame(
            captured: isLive ? fragment.captured : nil, handOverTime: nil, arrival: now,
            arrivalUnixNanoseconds: WallClock.unixNanoseconds())
    }

    /// Counts a whole unit.
    ///
    /// - Returns: `nil` if it is not of the main track; otherwise whether it is live, and no part of a fast start.
    private func completed(
        _ unit: AccessUnitTracker.Completion, of track: Int, at arrival: MonotonicTime, _ lateNanoseconds: Int64
    ) -> Bool? {
        let lateness = tracks[track].transit.lateness(timestamp: unit.timestamp, arrival: arrival)
        if lateness <= lateNanoseconds { unitsInTime += 1 }
        guard track == mainTrack else { return nil }
        if unit.isKeyframe { firstKeyframe = firstKeyframe ?? arrival }
        return firstPacket.map { arrival - $0 > Self.fastStartNanoseconds } ?? false
    }

    private func recordAge(_ packet: borrowing ReceivedPacket) {
        guard let captured = tracks[packet.track].capture.unixNanoseconds(of: packet.timestamp) else { return }
        let age = packet.arrivalUnixNanoseconds &- captured
        oldestFrame = max(oldestFrame, age)
        guard let firstPacket, packet.arrival - firstPacket > Self.settlingNanoseconds else { return }
        oldestSettledFrame = max(oldestSettledFrame, age)
    }

    private func handOverTime(of unit: AccessUnitTracker.Completion) -> Int64? {
        guard let handOver = tracks[mainTrack].handOver, handOver.timestamp == unit.timestamp else { return nil }
        return handOver.unixNanoseconds
    }
}
