import Media

/// Puts the packets of one track in order, and makes access units of them.
struct TrackReceiver {
    private let id: TrackID
    private let clockRate: ClockRate
    private let format: ReceivedStream.Format
    /// The source of the last packet.
    private var source: SSRC?
    /// The depacketizer of the track's codec; the others are `nil`. An enum would be copied with the open unit for each packet.
    private var h264: H264Depacketizer?
    private var h265: H265Depacketizer?
    private var aac: AACDepacketizer?
    private var latm: LATMDepacketizer?
    private var audio: AudioDepacketizer?
    private var jpeg: JPEGDepacketizer?
    private var packets = OrderedPackets()
    /// The counts of the sources before the present one.
    private var formerCounts = DepacketizerCounts()
    /// When the first packet of each timestamp came, for the units that are not taken yet.
    private var arrivals: [(timestamp: UInt32, arrival: MonotonicTime)] = []
    private var ticks = UnwrappedTimestamp()
    private var order: DecodeOrder
    private var clock: TrackClock

    init(_ id: TrackID, _ clockRate: ClockRate, _ format: ReceivedStream.Format) {
        (self.id, self.clockRate, self.format) = (id, clockRate, format)
        order = Self.order(of: format, clockRate)
        clock = TrackClock(clockRate: clockRate)
        makeDepacketizer()
    }

    private mutating func makeDepacketizer() {
        switch format {
        case .h264InBand, .described(.h264): h264 = H264Depacketizer()
        case .h265InBand, .described(.h265): h265 = H265Depacketizer()
        case .described(.aac): aac = AACDepacketizer()
        case .latm(let configuration): latm = LATMDepacketizer(configuration)
        case .described(.opus): audio = AudioDepacketizer()
        case .described(.g711(let format)): audio = AudioDepacketizer(format)
        case .transcoded(.audio(let format)): audio = AudioDepacketizer(format)
        case .transcoded(.motionJPEG(let size)): jpeg = JPEGDepacketizer(describedSize: size)
        }
    }

    /// When the oldest waiting packet has waited long enough.
    var nextDeadline: MonotonicTime { packets.nextDeadline }

    var counts: DepacketizerCounts {
        var counts = formerCounts + depacketizerCounts
        counts.latePackets += packets.lateCount
        return counts
    }

    private var depacketizerCounts: DepacketizerCounts {
        h264?.counts ?? h265?.counts ?? aac?.counts ?? latm?.counts ?? audio?.counts ?? jpeg?.counts
            ?? DepacketizerCounts()
    }

    /// Notes the source of a packet. If another source sent the packets before, the receiver forgets them.
    ///
    /// - Returns: whether another source sent the packets before.
    mutating func beginsAnotherSource(_ source: SSRC) -> Bool {
        defer { self.source = source }
        guard let former = self.source, former != source else { return false }
        formerCounts = formerCounts + depacketizerCounts
        makeDepacketizer()
        packets.beginAnew()
        (arrivals, ticks) = ([], UnwrappedTimestamp())
        beginAnew()
        return true
    }

    mutating func received(_ payload: RawSpan, header: Header, arrival: MonotonicTime) {
        if packets.passes(header.sequenceNumber) { return push(payload, header, arrival) }
        packets.keep(payload, header: header, arrival: arrival)
        pushOrdered()
    }

    mutating func giveUpMissing(at now: MonotonicTime) {
        while packets.giveUpMissing(at: now) { pushOrdered() }
    }

    private mutating func pushOrdered() {
        while let packet = packets.next() { push(packet.payload.span.bytes, packet.header, packet.arrival) }
    }

    private mutating func push(_ payload: RawSpan, _ header: Header, _ arrival: MonotonicTime) {
        if arrivals.last?.timestamp != header.timestamp {
            // A packet that came out of order may have come before those of the unit before it.
            arrivals.append((header.timestamp, max(arrival, arrivals.last?.arrival ?? arrival)))
        }
        arrivals.removeFirst(max(0, arrivals.count - Self.arrivalLimit))
        h264?.push(payload, header: header)
        h265?.push(payload, header: header)
        aac?.push(payload, header: header)
        latm?.push(payload, header: header)
        audio?.push(payload, header: header)
        jpeg?.push(payload, header: header)
    }
}

// MARK: - Units

extension TrackReceiver {
    /// Timestamps of units that are not complete or not taken: more than ever wait.
    private static let arrivalLimit = 64

    /// The next unit, and when its first packet came.
    mutating func next() -> (unit: ReceivedUnit, arrival: MonotonicTime)? {
        guard
            let unit = h264?.next() ?? h265?.next() ?? aac?.next() ?? latm?.next() ?? audio?.next() ?? jpeg?.next()
        else { return nil }
        // Several units of audio in a packet have later timestamps than the packet.
        let index = arrivals.lastIndex { Int32(bitPattern: unit.rtpTimestamp &- $0.timestamp) >= 0 } ?? 0
        guard arrivals.indices.contains(index) else { return nil }
        arrivals.removeFirst(index)
        return (unit, arrivals[0].arrival)
    }

    /// The source's timestamps have jumped.
    mutating func beginAnew() {
        order = Self.order(of: format, clockRate)
    }

    /// - Parameters:
    ///   - captured: nanoseconds since the epoch, at most `arrival`.
    ///   - arrival: nanoseconds since the epoch.
    mutating func reception(of unit: ReceivedUnit, captured: Int64, arrival: Int64) -> StreamReceiver.Reception {
        // By RTP time, which is exact: capture times are corrected now and then, which is no reordering.
        let media = ticks.unwrap(unit.rtpTimestamp)
        let times = clock.times(
            order.times(presentation: media), of: media, captured: captured, arrival: arrival)
        let accessUnit = AccessUnit(
            track: id, presentationTime: times.presentation, decodeTime: times.decode, isKeyframe: isKeyframe(unit),
            bytes: unit.bytes, units: unit.units)
        return StreamReceiver.Reception(unit: accessUnit, isComplete: unit.isComplete)
    }

    private func isKeyframe(_ unit: ReceivedUnit) -> Bool {
        switch format {
        case .h264InBand, .described(.h264): isKeyframe(unit, H264PayloadHeader.self)
        case .h265InBand, .described(.h265): isKeyframe(unit, H265PayloadHeader.self)
        case .described(.aac), .described(.opus), .described(.g711), .latm, .transcoded: true
        }
    }

    private func isKeyframe<UnitHeader: NALUnitPayloadHeader>(
        _ unit: ReceivedUnit, _ header: UnitHeader.Type
    ) -> Bool {
        unit.isRandomAccessPoint(header) || unit.hasRecoveryPoint(header)
    }

    /// The order of frames as far as it is described. The rest is learnt from the frames' times.
    private static func order(of format: ReceivedStream.Format, _ clockRate: ClockRate) -> DecodeOrder {
        switch format {
        case .h264InBand, .h265InBand: return DecodeOrder(interval: clockRate.ticks(inNanoseconds: Self.usualInterval))
        case .described(.h264(let sets)):
            let sequence = sets.sequence.first.flatMap { H264.SequenceParameterSet(parsing: $0) }
            let interval = sequence?.usability?.timing?.frameNanoseconds ?? Self.usualInterval
            return DecodeOrder(
                depth: sequence?.usability?.reorderedFrames ?? 0,
                interval: clockRate.ticks(inNanoseconds: interval))
        case .described(.h265(let sets)):
            let sequence = sets.sequence.first.flatMap { H265.SequenceParameterSet(parsing: $0) }
            return DecodeOrder(
                depth: sequence?.reorderedPictures ?? 0,
                interval: clockRate.ticks(inNanoseconds: Self.usualInterval))
        case .described(.aac), .described(.opus), .described(.g711), .latm, .transcoded:
            return DecodeOrder(interval: 1)
        }
    }

    /// The time between two frames if the stream does not say it, in nanoseconds.
    private static let usualInterval: Int64 = 33_333_333
}
