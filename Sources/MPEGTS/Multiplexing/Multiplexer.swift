import Media

/// Multiplexes a stream's tracks into one program (ISO/IEC 13818-1): transport packets for each access unit as it comes.
///
/// There is no buffering: the packets of a unit depend only on earlier units. Each unit fills whole packets, with a clock
/// reference and, at keyframes and after 100 ms, the tables.
public struct Multiplexer: Sendable {
    /// The leading stream first.
    private var streams: [ElementaryStream]
    private var tables: ProgramTables
    private var clock = ProgramClock()
    /// The decode time of the last unit that was preceded by tables.
    private var lastTables: ProgramTime?

    /// 100 ms: the delay until a receiver that joins anywhere has the tables (ETSI TR 101 290 reports an error at 500 ms).
    private static let tablesInterval: Int64 = 9_000

    public init(tracks: [Track]) {
        streams = ElementaryStream.streams(of: tracks)
        tables = ProgramTables(streams: streams)
    }

    /// The packets of `unit`, which must then be sent; `nil` if the track or the unit cannot be carried.
    public mutating func packets(of unit: AccessUnit) -> TransportPackets? {
        guard let index = streams.firstIndex(where: { $0.track == unit.track }),
            let byteCount = streams[index].framing.byteCount(of: unit)
        else { return nil }
        let times = unit.part.isStart ? PESHeader.Times(unit) : nil
        var adaptation = AdaptationField()
        var interim: TransportPackets.Interim?
        if let times, index == 0 {
            let reference = clock.reference(leadingAt: times.decode)
            adaptation = AdaptationField(isKeyframe: unit.isKeyframe && reference != nil, reference: reference)
        } else if let times {
            adaptation.isKeyframe = unit.isKeyframe
            interim = clock.interimReference(otherAt: times.decode).map {
                TransportPackets.Interim(reference: $0, pid: streams[0].pid, counter: streams[0].counter)
            }
        }
        let packets = TransportPackets(
            unit: unit, stream: streams[index],
            writer: PESWriter(of: byteCount, on: streams[index], times: times, adaptation: adaptation),
            tables: tablesAreDue(before: unit, at: times, isLeading: index == 0) ? tables : nil, interim: interim)
        count(packets, of: index, decodedAt: times?.decode)
        return packets
    }

    private func tablesAreDue(before unit: AccessUnit, at times: PESHeader.Times?, isLeading: Bool) -> Bool {
        guard let times else { return false }
        guard let lastTables else { return true }
        guard isLeading else { return false }
        // If every unit is a keyframe, as in audio, tables before each would be half of the stream.
        if streams[0].codec.facts.randomAccess == .keyframes, unit.isKeyframe { return true }
        return !(0..<Self.tablesInterval).contains(times.decode.elapsed(since: lastTables))
    }

    private mutating func count(_ packets: TransportPackets, of index: Int, decodedAt time: ProgramTime?) {
        streams[index].counter.advance(by: packets.unitPacketCount)
        guard packets.tables != nil else { return }
        tables.counter.advance()
        lastTables = time
    }

    /// A multiplexer for the fast start of a receiver, before all later packets of this multiplexer. It begins with the tables.
    /// After it has packaged `units`, its continuity counters continue into those of this multiplexer.
    public func fastStart(of units: [AccessUnit]) -> Self {
        var fastStart = self
        fastStart.clock = clock.restarted
        fastStart.lastTables = nil
        var trialRun = fastStart
        for unit in units { _ = trialRun.packets(of: unit) }
        for index in streams.indices {
            fastStart.streams[index].counter = streams[index].counter.mirrored(from: trialRun.streams[index].counter)
        }
        fastStart.tables.counter = tables.counter.mirrored(from: trialRun.tables.counter)
        return fastStart
    }
}

extension PESHeader.Times {
    init(_ unit: AccessUnit) {
        self.init(presentation: ProgramTime(unit.presentationTime), decode: ProgramTime(unit.decodeTime))
    }
}
