/// Receives a transport stream (ISO/IEC 13818-1) byte by byte, and records violations of the specification.
struct Receiver {
    struct Reference: Equatable {
        let time: Int64
        /// The index of the packet with the reference.
        let packet: Int
        let isDiscontinuity: Bool
    }

    struct PES {
        let pid: Int
        let packet: Int
        let presentation: Int64?
        let decode: Int64?
        let isKeyframe: Bool
        /// The last reference before the start of the packet.
        let reference: Int64?
        var body: [UInt8]
        fileprivate var missing: Int
    }

    private(set) var violations: [String] = []
    private(set) var packetCount = 0
    private(set) var references: [Reference] = []
    private(set) var packets: [PES] = []
    private(set) var sections: [(pid: Int, packet: Int, bytes: [UInt8])] = []
    private var counters: [Int: Int] = [:]
    private var open: [Int: PES] = [:]

    static let tablePIDs = [0, 0x1000]

    mutating func receive(_ bytes: [UInt8]) {
        if bytes.isEmpty || bytes.count % 188 != 0 {
            recordViolation("\(bytes.count) bytes are not a multiple of a packet")
        }
        for start in stride(from: 0, to: bytes.count - 187, by: 188) {
            receive(packet: bytes[start..<(start + 188)])
            packetCount += 1
        }
    }

    /// Access units of one PID: the bodies of a PES packet with times and of those without times after it.
    func units(of pid: Int) -> [PES] {
        var units: [PES] = []
        for packet in packets where packet.pid == pid {
            if packet.presentation != nil {
                units.append(packet)
            } else if !units.isEmpty {
                units[units.count - 1].body += packet.body
            }
        }
        return units
    }

    private mutating func recordViolation(_ sentence: String) {
        violations.append("packet \(packetCount): \(sentence)")
    }

    private mutating func receive(packet: ArraySlice<UInt8>) {
        let at = packet.startIndex
        if packet[at] != 0x47 { recordViolation("no sync byte") }
        if packet[at + 1] & 0xA0 != 0 || packet[at + 3] & 0xC0 != 0 {
            recordViolation("error, priority or scrambling is set")
        }
        let pid = Int(packet[at + 1] & 0x1F) << 8 | Int(packet[at + 2])
        let control = packet[at + 3] & 0x30
        if control == 0 { recordViolation("neither adaptation field nor payload") }
        count(pid, Int(packet[at + 3] & 0x0F), hasPayload: control & 0x10 != 0)
        guard pid != 0x1FFF else { return }
        var payload = at + 4
        var isKeyframe = false
        if control & 0x20 != 0 {
            payload += 1 + Int(packet[at + 4])
            isKeyframe = adaptation(packet[(at + 5)..<payload], isAlone: control == 0x20)
        }
        guard control & 0x10 != 0 else { return }
        if payload >= packet.endIndex { recordViolation("missing payload") }
        let starts = packet[at + 1] & 0x40 != 0
        if Self.tablePIDs.contains(pid) {
            if !starts { recordViolation("a table in two packets") }
            section(pid, packet[payload...])
        } else if starts {
            begin(pid, packet[payload...], isKeyframe)
        } else {
            proceed(pid, packet[payload...])
        }
    }

    private mutating func count(_ pid: Int, _ counter: Int, hasPayload: Bool) {
        guard pid != 0x1FFF else { return }
        let last = counters.updateValue(counter, forKey: pid)
        guard let last else { return }
        let expected = hasPayload ? (last + 1) % 16 : last
        if counter != expected { recordViolation("PID \(pid) counts \(counter) instead of \(expected)") }
    }

    private mutating func adaptation(_ field: ArraySlice<UInt8>, isAlone: Bool) -> Bool {
        guard let flags = field.first else { return false }
        if isAlone, field.count != 183 { recordViolation("an adaptation field alone does not fill its packet") }
        var rest = field.dropFirst()
        if flags & 0x10 != 0 {
            let bytes = [UInt8](rest.prefix(6))
            rest = rest.dropFirst(6)
            let base = bytes[..<4].reduce(0 as Int64) { $0 << 8 | Int64($1) } << 1 | Int64(bytes[4] >> 7)
            if bytes[4] & 0x7F != 0x7E || bytes[5] != 0 { recordViolation("the reference has an extension") }
            references.append(Reference(time: base, packet: packetCount, isDiscontinuity: flags & 0x80 != 0))
        }
        if flags & 0x2F != 0 { recordViolation("unexpected adaptation flags") }
        if rest.contains(where: { $0 != 0xFF }) { recordViolation("stuffing is not 0xFF") }
        return flags & 0x40 != 0
    }

    private mutating func section(_ pid: Int, _ payload: ArraySlice<UInt8>) {
        let bytes = [UInt8](payload)
        let length = Int(bytes[2] & 0x0F) << 8 | Int(bytes[3])
        if bytes[0] != 0 { recordViolation("a pointer in a table") }
        if bytes[(4 + length)...].contains(where: { $0 != 0xFF }) { recordViolation("a table's stuffing is not 0xFF") }
        sections.append((pid, packetCount, [UInt8](bytes[1..<(4 + length)])))
    }

    private mutating func begin(_ pid: Int, _ payload: ArraySlice<UInt8>, _ isKeyframe: Bool) {
        if open[pid] != nil { recordViolation("PID \(pid) begins a PES packet before the last is complete") }
        let bytes = [UInt8](payload)
        guard bytes.count > 9, bytes[..<3] == [0, 0, 1], bytes[6] & 0xF0 == 0x80 else {
            return recordViolation("missing PES header")
        }
        let length = Int(bytes[4]) << 8 | Int(bytes[5])
        let header = 9 + Int(bytes[8])
        let flags = bytes[7] >> 6
        if bytes[8] != [0, 0, 5, 10][Int(flags)] || flags == 1 { recordViolation("times and header length disagree") }
        let presentation = flags > 1 ? time(bytes[9..<14], mark: flags) : nil
        let decode = flags == 3 ? time(bytes[14..<19], mark: 1) : presentation
        if flags == 3, presentation == decode { recordViolation("a redundant decode time") }
        open[pid] = PES(
            pid: pid, packet: packetCount, presentation: presentation, decode: decode, isKeyframe: isKeyframe,
            reference: references.last?.time, body: [], missing: length + 6 - header)
        proceed(pid, payload.dropFirst(header))
    }

    private mutating func time(_ bytes: ArraySlice<UInt8>, mark: UInt8) -> Int64 {
        let value = bytes.reduce(0 as Int64) { $0 << 8 | Int64($1) }
        if bytes.first.map({ $0 >> 4 }) != mark || value & 0x1_0001_0001 != 0x1_0001_0001 {
            recordViolation("wrong marker bits in a time")
        }
        return value >> 3 & 0x1_C000_0000 | value >> 2 & 0x3FFF_8000 | value >> 1 & 0x7FFF
    }

    private mutating func proceed(_ pid: Int, _ payload: ArraySlice<UInt8>) {
        guard var packet = open.removeValue(forKey: pid) else {
            return recordViolation("PID \(pid) continues without a beginning")
        }
        packet.body += payload
        packet.missing -= payload.count
        if packet.missing > 0 {
            open[pid] = packet
        } else {
            if packet.missing < 0 { recordViolation("PID \(pid): more than the PES packet's length") }
            packets.append(packet)
        }
    }
}
