import Media
import Wire

/// Reads one program of a transport stream (ISO/IEC 13818-1): gives its streams, and then their access units.
///
/// Bytes may be split anywhere and have others between the packets. Damaged packets are dropped; what is lost is found by the counters
/// of the packets, and units of which a part is lost are incomplete. Memory is bounded by one access unit of each stream and the
/// sections of tables. A plain value without a clock: instants are passed in.
public struct Demultiplexer: Sendable {
    public enum Output: Sendable {
        /// The units from now on belong to these streams.
        case program(Program)
        case unit(ProgramUnit)
    }

    /// The most names that are kept: as many as maps are looked for.
    private static let maximumNameCount = 64

    private var synchroniser = TransportSynchroniser()
    private var selection = ProgramSelection()
    private var serviceSections = SectionReader()
    private var serviceNames: [UInt16: String] = [:]
    private var streams: [ReceivedElementaryStream] = []
    private var clock = TimeBase()
    private var unwrapping = ProgramTimeUnwrapping()
    private var outputs: [Output] = []
    /// Broken units of streams that the program no longer has.
    private var formerBrokenCount = 0
    /// Packets with an error or a malformed header.
    public private(set) var malformedPacketCount = 0
    /// Bytes that belong to no packet: between packets, and until the first is found again after a damage.
    public var strayByteCount: Int { synchroniser.strayByteCount }
    /// Whether a packet has come.
    public private(set) var hasPackets = false

    public init() {}

    /// Access units of which a part was lost or malformed.
    public var brokenUnitCount: Int { streams.reduce(formerBrokenCount) { $0 + $1.brokenCount } }

    /// Whether a program map has come that has a supported stream.
    public var hasProgram: Bool { !streams.isEmpty }

    /// The name that the stream gives its program; `nil` if it gives none.
    public var serviceName: String? { selection.selected.flatMap { serviceNames[$0.program] } }

    /// The formats of a program without a supported stream; empty if there is none.
    public var unsupportedFormats: [String] { selection.unsupported }

    /// Whether the streams are encrypted.
    public var isScrambled: Bool { !streams.isEmpty && streams.allSatisfy(\.isScrambled) }

    /// More bytes have come.
    ///
    /// - Returns: whether they have media of the program, and not only tables, padding or other streams.
    @discardableResult
    public mutating func receive(_ bytes: RawSpan, arrival: MonotonicTime) -> Bool {
        var hasMedia = false
        if synchroniser.passes(bytes) {
            for start in stride(from: 0, to: bytes.byteCount, by: TransportPacket.byteCount) {
                let packet = bytes.extracting(start..<(start + TransportPacket.byteCount))
                if receive(packet: packet, arrival: arrival) { hasMedia = true }
            }
            return hasMedia
        }
        synchroniser.push(bytes)
        while let packet = synchroniser.next() {
            if receive(packet: packet.rawSpan, arrival: arrival) { hasMedia = true }
        }
        return hasMedia
    }

    /// Up to this many packets are missing before the bytes that come next.
    public mutating func recordLoss(packetCount: Int) {
        guard packetCount > ContinuityCheck.certainPacketCount else { return }
        selection.recordLoss()
        serviceSections.recordLoss()
        for index in streams.indices { streams[index].recordLoss() }
    }

    /// The next output.
    public mutating func next() -> Output? {
        outputs.isEmpty ? nil : outputs.removeFirst()
    }

    /// The stream has ended: the last units do not wait for those behind them.
    public mutating func finish() {
        for index in streams.indices {
            streams[index].finish()
            takeUnits(of: index)
        }
    }

    private mutating func receive(packet: RawSpan, arrival: MonotonicTime) -> Bool {
        guard let header = TransportPacketHeader(packet) else {
            malformedPacketCount += 1
            return false
        }
        hasPackets = true
        if selection.reads(header.pid) {
            if selection.receive(header, packet) { beginProgram() }
            return false
        }
        if header.pid == .serviceDescription {
            receiveNames(header, packet)
            return false
        }
        if header.pid == selection.selected?.clock { clock.receive(header.adaptation) }
        guard let index = streams.firstIndex(where: { $0.entry.pid == header.pid }) else { return false }
        let hasMedia = streams[index].receive(
            header, packet, arrival: arrival, base: clock.number, &unwrapping)
        takeUnits(of: index)
        return hasMedia
    }

    /// A packet of the service description table has come. Its sections add up; names of services that are no longer there do no harm.
    private mutating func receiveNames(_ header: TransportPacketHeader, _ packet: RawSpan) {
        for section in serviceSections.receive(header, packet) {
            for (service, name) in ServiceDescription(section)?.names ?? [:]
            where serviceNames.count < Self.maximumNameCount || serviceNames[service] != nil {
                serviceNames[service] = name
            }
        }
    }

    private mutating func takeUnits(of index: Int) {
        while let unit = streams[index].next() {
            outputs.append(
                .unit(
                    ProgramUnit(
                        stream: index, presentationTime: MediaTime(unit.times.presentation),
                        decodeTime: MediaTime(unit.times.decode), timeBase: unit.times.base, arrival: unit.arrival,
                        isKeyframe: unit.isKeyframe, isComplete: unit.isComplete, format: unit.format,
                        bytes: unit.bytes, units: unit.units)))
        }
    }

    /// Reads the streams of the selected program, and goes on with those that it had before.
    private mutating func beginProgram() {
        guard let map = selection.selected else { return }
        let chosen = [Codec.Kind.video, .audio].compactMap { kind in
            map.entries.first { $0.content.codec?.facts.kind == kind }
        }
        let entries = map.entries.filter(chosen.contains)
        let others = map.entries.filter { !chosen.contains($0) }.map(\.content.name)
        let former = streams
        streams = entries.compactMap { entry in
            former.first { $0.entry == entry } ?? ReceivedElementaryStream(entry)
        }
        for stream in former where !entries.contains(stream.entry) { formerBrokenCount += stream.brokenCount }
        outputs.append(.program(Program(streams: entries.compactMap(\.content.codec), others: others)))
    }
}
