import Media
import Wire

/// Reads the access units of H.264 or H.265 from a byte stream in PES packets (annex B of both; ISO/IEC 13818-1, 2.14.1 and 2.17.1).
///
/// Access units are separated by their contents, as in any byte stream, so PES packets may begin and end anywhere. A unit has the times
/// of the last PES packet that began before it (2.4.3.7). Where each packet contains whole units, a unit ends with its packet, and does
/// not wait for the next one, which comes a frame later (`PacketAlignment`). After a loss, the damaged NAL unit is dropped, and the
/// access unit is returned without it. If whole units may be lost, the next one counts as incomplete, unless it is a keyframe.
struct VideoStreamReader<Assembler: PictureAssembler>: ElementaryStreamReader {
    /// The most bytes of an access unit, and of NAL units that belong to none: many times those of a keyframe in 4K.
    static var maximumUnitByteCount: Int { 8 << 20 }
    /// The most NAL units of an access unit, as over RTP: 16 times what 8K encoders use. Each has an array of its own, so within the
    /// limit of bytes two million of them would take many times as much memory.
    static var maximumNALUnitCount: Int { 4_096 }
    /// The most PES packets that are kept: each slice may have one.
    private static var maximumPacketCount: Int { 64 }
    /// The most bytes of parameter sets that are kept to separate pictures: many times what encoders send.
    private static var maximumSetByteCount: Int { 65_536 }

    private var splitter = H264.AnnexBSplitter()
    private var assembler = Assembler()
    private var clock = FrameClock()
    private var alignment = PacketAlignment()
    /// The last PES packets whose times no unit has yet. A NAL unit is known only with the start code of the next one, so some more may
    /// have begun.
    private var packets: [(offset: Int, times: UnitTimes, arrival: MonotonicTime)] = []
    /// The access unit that is being assembled.
    private var open: Open?
    /// NAL units since it began.
    private var nalUnitCount = 0
    /// When the last bytes came.
    private var arrival = MonotonicTime(nanoseconds: 0)
    /// Bytes that were pushed before the open access unit.
    private var openOffset = 0
    /// Whether bytes are missing since the last PES packet began.
    private var hasLost = false
    /// Whether a loss has damaged no open access unit, so that whole units may be missing.
    private var hasLostUnits = false
    private var finished: [ElementaryUnit] = []
    private(set) var brokenCount = 0

    private struct Open {
        /// `nil` if no time is known.
        let times: UnitTimes?
        let arrival: MonotonicTime
        var isComplete: Bool
        /// Whether units may be missing before it.
        let followsLoss: Bool
    }

    mutating func begin(_ times: UnitTimes?, arrival: MonotonicTime) {
        end()
        alignment.packetBegan(at: splitter.pushedByteCount, times)
        hasLost = false
        self.arrival = arrival
        guard let times else { return }
        packets.append((splitter.pushedByteCount, times, arrival))
        if packets.count > Self.maximumPacketCount { packets.removeFirst() }
    }

    mutating func push(_ body: RawSpan, arrival: MonotonicTime) {
        self.arrival = arrival
        splitter.push(body)
        while let unit = splitter.next() { take(unit) }
        guard splitter.pushedByteCount - openOffset > Self.maximumUnitByteCount else { return }
        _ = splitter.flush()
        drop()
    }

    mutating func end() {
        if alignment.isConfirmed { finish() }
    }

    mutating func finish() {
        if let unit = splitter.flush() { take(unit) }
        // NAL units before a picture belong to the one that comes.
        guard assembler.hasPicture, let units = assembler.end() else { return }
        close(units)
        open = nil
    }

    mutating func recordLoss() {
        // The NAL unit that lacks its end is not used, nor is the rest of it.
        _ = splitter.flush()
        open?.isComplete = false
        hasLost = true
        hasLostUnits = open == nil
        alignment.recordLoss()
    }

    mutating func next() -> ElementaryUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    // MARK: - Access units

    private mutating func take(_ unit: [UInt8]) {
        let offset = splitter.lastUnitOffset
        alignment.unitBegan(at: offset)
        if let units = assembler.received(unit) {
            close(units)
            open = nil
        }
        if open == nil { begin(at: offset) }
        nalUnitCount += 1
        if nalUnitCount > Self.maximumNALUnitCount { drop() }
    }

    /// An access unit begins with the NAL unit at this offset.
    private mutating func begin(at offset: Int) {
        (openOffset, nalUnitCount) = (offset, 0)
        // What was lost since the last packet began may have belonged to an earlier unit, but also to this one.
        if let index = packets.lastIndex(where: { $0.offset <= offset }) {
            let packet = packets[index]
            packets.removeFirst(index + 1)
            clock.unitBegan(packet.times)
            open = Open(
                times: packet.times, arrival: packet.arrival, isComplete: !hasLost, followsLoss: hasLostUnits)
        } else {
            open = Open(times: clock.estimate(), arrival: arrival, isComplete: !hasLost, followsLoss: hasLostUnits)
        }
        hasLostUnits = false
    }

    private mutating func close(_ nalUnits: [[UInt8]]) {
        if assembler.parameterSetByteCount > Self.maximumSetByteCount { assembler = Assembler() }
        guard let open else { return }
        let isKeyframe = nalUnits.contains(where: Assembler.isRandomAccessPoint)
        // A keyframe needs no earlier unit.
        let isComplete = open.isComplete && (isKeyframe || !open.followsLoss)
        if !isComplete { brokenCount += 1 }
        guard let times = open.times else { return }
        var (bytes, units) = ([UInt8](), [Range<Int>]())
        bytes.reserveCapacity(nalUnits.reduce(0) { $0 + $1.count })
        for unit in nalUnits {
            units.append(bytes.count..<(bytes.count + unit.count))
            bytes += unit
        }
        finished.append(
            ElementaryUnit(
                times: times, arrival: open.arrival, isKeyframe: isKeyframe, isComplete: isComplete, format: nil,
                bytes: bytes, units: units))
    }

    /// Drops an access unit that does not end. Later ones may need it.
    private mutating func drop() {
        brokenCount += 1
        hasLostUnits = true
        assembler = Assembler()
        (open, openOffset) = (nil, splitter.pushedByteCount)
    }
}
