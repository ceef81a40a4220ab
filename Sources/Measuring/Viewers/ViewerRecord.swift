import Media
import RTSPClient

/// What one viewer saw: instants, counters, never a packet.
final class ViewerRecord {
    /// How a viewer behaves.
    enum Kind: Hashable {
        /// Takes all that comes, to the end.
        case steady
        /// Stops reading its connection after PLAY.
        case stalled
        /// Reads its connection at half the stream's rate.
        case halfRate
        /// Vanishes soon, without TEARDOWN.
        case churning
    }

    let kind: Kind
    let opened: MonotonicTime
    private(set) var playing: MonotonicTime?
    private(set) var firstPacket: MonotonicTime?
    /// When the first unit at which decoding can start was complete.
    private(set) var firstKeyframe: MonotonicTime?
    /// Why it ended, if it did.
    var end: ClientSessionEnd?
    private(set) var byteCount: UInt64 = 0
    private(set) var unitsInTime: UInt64 = 0
    /// The greatest time from capture to arrival, in nanoseconds.
    private(set) var oldestFrame: Int64 = 0
    /// The same once the prelude and what waited behind it are through: after `settlingNanoseconds` of packets.
    private(set) var oldestSettledFrame: Int64 = 0
    private(set) var tracks: [TrackRecord] = []
    /// Index of the track whose pictures count: the first of video, else the first.
    private var mainTrack = 0

    static let settlingNanoseconds: Int64 = 5_000_000_000
    /// For how long what comes may be a prelude, whose units are not live.
    private static let fastStartNanoseconds: Int64 = 1_000_000_000

    /// One track's counters.
    struct TrackRecord {
        var loss = LossTracker()
        var units = AccessUnitTracker()
        var capture: CaptureClock
        var transit: TransitTime
        /// Of the unit under way, where it tells.
        var stamp: (timestamp: UInt32, unixNanoseconds: Int64)?

        init(rate: ClockRate) {
            capture = CaptureClock(rate: rate)
            transit = TransitTime(rate: rate)
        }
    }

    /// A unit that came whole on the main track.
    struct Picture {
        /// When it was captured, in nanoseconds since 1970; `nil` while unknown, and in the first second, because the
        /// times of a prelude denote no capture.
        let captured: Int64?
        /// When the server was handed it, if it tells (`HandOverTimestamp`); `nil` when `captured` is.
        let handOverTime: Int64?
        let arrival: MonotonicTime
        /// The same by the wall clock, in nanoseconds since 1970.
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

    func played(firstSequenceNumbers: [UInt16?], at now: MonotonicTime) {
        playing = now
        for (index, number) in firstSequenceNumbers.enumerated() where tracks.indices.contains(index) {
            if let number { tracks[index].loss.announceFirst(number) }
        }
    }

    func reported(track: Int, time: NTPTime, timestamp: UInt32) {
        tracks[track].capture.received(time: time, timestamp: timestamp)
    }

    /// Counts a packet; answers the picture that it makes whole.
    func received(_ packet: borrowing ReceivedPacket, lateNanoseconds: Int64) -> Picture? {
        firstPacket = firstPacket ?? packet.arrival
        byteCount &+= UInt64(packet.byteCount)
        let index = packet.track
        if kind == .halfRate, index == mainTrack { recordAge(packet) }
        if let stamp = HandOverTimestamp.unixNanoseconds(in: packet.payload) {
            tracks[index].stamp = (packet.timestamp, stamp)
        }
        let placement = tracks[index].loss.received(packet.sequenceNumber)
        let unit = tracks[index].units.received(
            placement, timestamp: packet.timestamp, isMarked: packet.isMarked, isKeyframe: packet.isKeyframe)
        guard let unit else { return nil }
        let lateness = tracks[index].transit.lateness(timestamp: unit.timestamp, arrival: packet.arrival)
        if lateness <= lateNanoseconds { unitsInTime += 1 }
        guard index == mainTrack else { return nil }
        if unit.isKeyframe { firstKeyframe = firstKeyframe ?? packet.arrival }
        let isLive = firstPacket.map { packet.arrival - $0 > Self.fastStartNanoseconds } ?? false
        return Picture(
            captured: isLive ? tracks[mainTrack].capture.unixNanoseconds(of: unit.timestamp) : nil,
            handOverTime: isLive ? handOver(of: unit) : nil, arrival: packet.arrival,
            arrivalUnixNanoseconds: packet.arrivalUnixNanoseconds)
    }

    private func recordAge(_ packet: borrowing ReceivedPacket) {
        guard let captured = tracks[packet.track].capture.unixNanoseconds(of: packet.timestamp) else { return }
        let age = packet.arrivalUnixNanoseconds &- captured
        oldestFrame = max(oldestFrame, age)
        guard let firstPacket, packet.arrival - firstPacket > Self.settlingNanoseconds else { return }
        oldestSettledFrame = max(oldestSettledFrame, age)
    }

    private func handOver(of unit: AccessUnitTracker.Completion) -> Int64? {
        guard let stamp = tracks[mainTrack].stamp, stamp.timestamp == unit.timestamp else { return nil }
        return stamp.unixNanoseconds
    }
}
