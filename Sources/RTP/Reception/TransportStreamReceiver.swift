import MPEGTS
import Media

/// Turns the RTP packets of an MPEG transport stream (RFC 2250, section 2) into access units with the times of capture and decoding.
///
/// It is used like ``StreamReceiver``. All tracks have the clock of the program, so one timeline maps the presentation times in the
/// stream to the host's clock. The RTP timestamps, and with them the sender reports, only say when packets were sent
/// (docs/decisions/055).
struct TransportStreamReceiver: Sendable {
    enum Output: Sendable {
        /// The units from now on belong to tracks of these formats.
        case tracks([ReceivedStream.Format])
        case unit(StreamReceiver.Reception)
    }

    /// A larger step of the presentation times is a jump, in nanoseconds. Multiplexers store tracks up to some seconds apart; smaller
    /// steps show in the program's clock.
    private static let jumpThreshold: Int64 = 10_000_000_000
    /// The transport packets of an RTP packet: as many as fit an Ethernet frame.
    private static let usualPacketCount = 7

    private let epoch: MonotonicTime
    /// When units were captured, and how that is determined.
    private(set) var timeline = ReceptionTimeline(
        clockRates: [.video], trust: .arrival, jumpThreshold: Self.jumpThreshold)
    /// The source of the last packet.
    private var source: SSRC?
    private var packets = OrderedPackets()
    private var sequence = SequenceTracker()
    private var demultiplexer = Demultiplexer()
    private var admission = ProgramAdmission([])
    /// Formats of the program that are not received.
    private var others: [String] = []
    private var tracks: [ProgramTrack] = []
    /// The time base of the last unit.
    private var timeBase: Int?
    private var lostPackets = 0
    private var latePackets = 0
    /// What the demultiplexers of former sources have counted.
    private var formerCounts = DepacketizerCounts()

    /// - Parameter epoch: of the stream that the units are for.
    init(epoch: MonotonicTime) {
        self.epoch = epoch
    }

    /// When to call ``deadlinePassed(at:)``.
    var nextDeadline: MonotonicTime { min(packets.nextDeadline, admission.nextDeadline) }

    /// What was lost or malformed.
    var counts: DepacketizerCounts {
        var counts = formerCounts + demultiplexer.counts
        counts.lostPackets += lostPackets
        counts.latePackets += latePackets + packets.lateCount
        return counts
    }

    /// The names of what the program contains and is not received.
    var leftOut: [String] { others + admission.leftOut }

    /// The name that the stream gives its program; `nil` if it gives none.
    var serviceName: String? { demultiplexer.serviceName }

    /// Why there are no units; `nil` if nothing is wrong with what comes.
    var fault: TransportStreamFault? {
        guard demultiplexer.hasPackets else { return .noTransportPackets }
        if demultiplexer.isScrambled { return .isEncrypted }
        guard !demultiplexer.hasProgram else { return nil }
        let names = demultiplexer.unsupportedFormats
        return names.isEmpty ? .noProgram : .noSupportedFormat(names)
    }

    /// A packet has come.
    ///
    /// - Returns: whether media of the program has come, and not only tables, padding or other streams.
    mutating func received(_ payload: RawSpan, header: Header, arrival: MonotonicTime) -> Bool {
        if let source, source != header.ssrc { beginAnew() }
        source = header.ssrc
        if packets.passes(header.sequenceNumber) { return push(payload, header, arrival) }
        packets.keep(payload, header: header, arrival: arrival)
        return pushOrdered()
    }

    /// Bytes have come that are not in RTP, in the order in which they were sent.
    ///
    /// - Parameters:
    ///   - missing: messages or packets of the transport that are missing before them.
    ///   - arrival: must not go back.
    /// - Returns: whether media of the program has come.
    mutating func received(_ bytes: RawSpan, missing: Int, arrival: MonotonicTime) -> Bool {
        if missing > 0 {
            lostPackets += missing
            demultiplexer.recordLoss(packetCount: min(missing, 1 << 20) * Self.usualPacketCount)
        }
        return demultiplexer.receive(bytes, arrival: arrival)
    }

    /// Gives up the packets that have been missing for too long, and the streams of the program that have sent nothing.
    mutating func deadlinePassed(at now: MonotonicTime) {
        while packets.giveUpMissing(at: now) { _ = pushOrdered() }
        admission.deadlinePassed(at: now)
    }

    mutating func next() -> Output? {
        while true {
            switch admission.next() {
            case .tracks(let formats):
                begin(formats)
                return .tracks(formats)
            case .unit(let unit, let track): return .unit(reception(of: unit, on: track))
            case nil: break
            }
            switch demultiplexer.next() {
            case .program(let program): (admission, others) = (ProgramAdmission(program.streams), program.others)
            case .unit(let unit): admission.received(unit)
            case nil: return nil
            }
        }
    }

    // MARK: - Packets

    private mutating func pushOrdered() -> Bool {
        var hasMedia = false
        while let packet = packets.next() {
            if push(packet.payload.span.bytes, packet.header, packet.arrival) { hasMedia = true }
        }
        return hasMedia
    }

    private mutating func push(_ payload: RawSpan, _ header: Header, _ arrival: MonotonicTime) -> Bool {
        switch sequence.step(to: header.sequenceNumber) {
        case .late:
            latePackets += 1
            return false
        case .gap(let missing):
            lostPackets += missing
            // After a step back it is not known how many packets are missing.
            let count = max(Self.usualPacketCount, payload.byteCount / TransportPacket.byteCount)
            demultiplexer.recordLoss(packetCount: missing > 0 ? missing * count : .max)
        case .next: break
        }
        return demultiplexer.receive(payload, arrival: arrival)
    }

    /// Another source sends the stream from now on. Its program has times of its own.
    private mutating func beginAnew() {
        formerCounts = formerCounts + demultiplexer.counts
        packets.beginAnew()
        (sequence, demultiplexer, timeBase) = (SequenceTracker(), Demultiplexer(), nil)
        timeline.beginAnew(track: 0)
        for index in tracks.indices { tracks[index].beginAnew() }
    }

    // MARK: - Units

    private mutating func begin(_ formats: [ReceivedStream.Format]) {
        tracks = formats.enumerated().map { index, format in
            let known = tracks.indices.contains(index) ? tracks[index] : nil
            return known.flatMap { $0.format == format ? $0 : nil } ?? ProgramTrack(format)
        }
    }

    private mutating func reception(of unit: ProgramUnit, on track: TrackID) -> StreamReceiver.Reception {
        if unit.timeBase > timeBase ?? unit.timeBase {
            timeline.jumped(track: 0)
            for index in tracks.indices { tracks[index].beginAnew() }
        }
        let jumps = timeline.jumpCount
        // A unit of the time base before has nothing to do with the present timeline.
        let captured =
            unit.timeBase < timeBase ?? unit.timeBase
            ? unit.arrival
            : timeline.capture(
                of: UInt32(truncatingIfNeeded: unit.presentationTime.ticks), track: 0, arrival: unit.arrival)
        if timeline.jumpCount != jumps { for index in tracks.indices { tracks[index].beginAnew() } }
        timeBase = max(timeBase ?? unit.timeBase, unit.timeBase)
        let times = tracks[track.index].times(of: unit, captured: captured - epoch, arrival: unit.arrival - epoch)
        return StreamReceiver.Reception(
            unit: AccessUnit(
                track: track, presentationTime: times.presentation, decodeTime: times.decode,
                isKeyframe: unit.isKeyframe, bytes: unit.bytes, units: unit.units),
            isComplete: unit.isComplete)
    }
}

/// One track of a program.
private struct ProgramTrack: Sendable {
    let format: ReceivedStream.Format
    private var clock: TrackClock
    /// For streams that have no decode times although they reorder frames.
    private var order = Self.unknownOrder
    private var hasDecodeTimes = false

    private static let unknownOrder = DecodeOrder(interval: 3_000)
    /// The most ticks that a frame may be presented after its decoding: sixteen frames at five frames a second.
    private static let longestReordering: Int64 = 288_000

    init(_ format: ReceivedStream.Format) {
        self.format = format
        clock = TrackClock(clockRate: format.clockRate)
    }

    /// The times in the stream have jumped.
    mutating func beginAnew() {
        order = Self.unknownOrder
    }

    mutating func times(
        of unit: ProgramUnit, captured: Int64, arrival: Int64
    ) -> (presentation: MediaTime, decode: MediaTime) {
        let presentation = unit.presentationTime.ticks
        guard unit.format == nil else {
            // Audio is decoded when it is presented.
            let times = DecodeOrder.Times(decode: 0, presentation: 0)
            return clock.times(times, of: 0, captured: captured, arrival: arrival)
        }
        if unit.decodeTime != unit.presentationTime { hasDecodeTimes = true }
        // Without reordering, a stream has presentation times only.
        let times =
            hasDecodeTimes
            ? DecodeOrder.Times(
                decode: max(unit.decodeTime.ticks, presentation &- Self.longestReordering), presentation: presentation)
            : order.times(presentation: presentation)
        return clock.times(times, of: presentation, captured: captured, arrival: arrival)
    }
}

extension Demultiplexer {
    fileprivate var counts: DepacketizerCounts {
        var counts = DepacketizerCounts()
        counts.malformedPackets = malformedPacketCount
        counts.brokenUnits = brokenUnitCount
        return counts
    }
}
