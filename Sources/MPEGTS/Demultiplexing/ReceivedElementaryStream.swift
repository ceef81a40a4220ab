import Media
import Wire

/// One elementary stream of a program that is received.
struct ReceivedElementaryStream: Sendable {
    let entry: ProgramMap.Entry
    private var continuity = ContinuityCheck()
    private var packets = PESReader()
    private var reader: any ElementaryStreamReader
    /// Whether its packets are encrypted at present.
    private(set) var isScrambled = false

    /// `nil` for a format that is not received.
    init?(_ entry: ProgramMap.Entry) {
        guard let reader = Self.reader(of: entry.content) else { return nil }
        (self.entry, self.reader) = (entry, reader)
    }

    private static func reader(of content: StreamContent) -> (any ElementaryStreamReader)? {
        switch content {
        case .h264: VideoStreamReader<H264.AccessUnitAssembler>()
        case .h265: VideoStreamReader<H265.AccessUnitAssembler>()
        case .adts: AudioStreamReader(ADTSFrames())
        case .latm: AudioStreamReader(LOASFrames())
        case .opus(let channelCount): AudioStreamReader(OpusFrames(channelCount: channelCount))
        case .other: nil
        }
    }

    /// Access units of which a part was lost or malformed, so far.
    var brokenCount: Int { reader.brokenCount }

    /// Notes that more packets may be lost than the counter shows.
    mutating func recordLoss() {
        continuity.recordLoss()
    }

    /// A packet of the stream has come.
    ///
    /// - Parameters:
    ///   - base: the number of the time base.
    ///   - unwrapping: counts on where times wrap.
    /// - Returns: whether it has media.
    mutating func receive(
        _ header: TransportPacketHeader, _ packet: RawSpan, arrival: MonotonicTime, base: Int,
        _ unwrapping: inout ProgramTimeUnwrapping
    ) -> Bool {
        guard let start = header.payloadStart else { return false }
        isScrambled = header.isScrambled
        switch continuity.step(to: header.continuity, isDiscontinuity: header.adaptation.isDiscontinuity) {
        case .duplicate: return false
        case .gap: loseBytes()
        case .next where header.isScrambled: loseBytes()
        case .next: break
        }
        guard !header.isScrambled,
            let piece = packets.receive(
                packet.extracting(start..<packet.byteCount), startsPacket: header.startsUnit,
                isStuffed: header.stuffingByteCount > 0)
        else { return false }
        guard !piece.isScrambled else {
            isScrambled = true
            loseBytes()
            return false
        }
        if piece.isStart { reader.begin(piece.times.map { unwrapping.unwrap($0, base: base) }, arrival: arrival) }
        reader.push(piece.body, arrival: arrival)
        if piece.isEnd { reader.end() }
        return true
    }

    private mutating func loseBytes() {
        packets.recordLoss()
        reader.recordLoss()
    }

    /// The oldest access unit.
    mutating func next() -> ElementaryUnit? { reader.next() }

    /// Ends the access unit that waits for the next one, at the end of the stream.
    mutating func finish() {
        reader.finish()
    }
}
