import Media
import TestSupport

@testable import MPEGTS

/// What a demultiplexer has given.
struct Demultiplexed {
    var programs: [Program] = []
    var units: [ProgramUnit] = []

    mutating func take(from demultiplexer: inout Demultiplexer) {
        while let output = demultiplexer.next() {
            switch output {
            case .program(let program): programs.append(program)
            case .unit(let unit): units.append(unit)
            }
        }
    }

    /// The units of one stream.
    func units(of stream: Int) -> [ProgramUnit] { units.filter { $0.stream == stream } }
}

extension ProgramUnit {
    /// The NAL units, or the blocks of audio.
    var contents: [[UInt8]] { units.map { Array(bytes[$0]) } }
}

/// Reads a stream that comes in these pieces, at 0, 1, 2 … nanoseconds.
func demultiplexed(_ pieces: [[UInt8]], finish: Bool = true) -> Demultiplexed {
    var demultiplexer = Demultiplexer()
    var result = Demultiplexed()
    for (number, piece) in pieces.enumerated() {
        demultiplexer.receive(piece.rawSpan, arrival: MonotonicTime(nanoseconds: Int64(number)))
        result.take(from: &demultiplexer)
    }
    if finish { demultiplexer.finish() }
    result.take(from: &demultiplexer)
    return result
}

/// The transport packets of a stream of units, with the index of the unit of each.
func written(_ units: [AccessUnit], tracks: [Track] = tracks()) -> [(packet: [UInt8], unit: Int)] {
    var multiplexer = Multiplexer(tracks: tracks)
    return units.indices.flatMap { index in
        (multiplexer.packets(of: units[index])?.bytes ?? []).packets.map { ($0, index) }
    }
}

extension [UInt8] {
    /// The transport packets.
    var packets: [[UInt8]] {
        stride(from: 0, to: count - 187, by: 188).map { Array(self[$0..<($0 + 188)]) }
    }

    var pid: Int { Int(self[1] & 0x1F) << 8 | Int(self[2]) }

    /// Whether a PES packet or a section begins in a transport packet.
    var startsUnit: Bool { self[1] & 0x40 != 0 }

    /// The same in pieces of random lengths.
    func pieces(upTo longest: Int, using random: inout SplitMix64) -> [[UInt8]] {
        var (pieces, rest) = ([[UInt8]](), self[...])
        while !rest.isEmpty {
            let length = Swift.min(Int.random(in: 1...longest, using: &random), rest.count)
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }
}

/// Writes PES packets and sections as other multiplexers do.
struct PacketMaker {
    private var counters: [Int: UInt8] = [:]

    /// The transport packets of a PES packet.
    ///
    /// - Parameters:
    ///   - presentation: in ticks; `nil` for a packet without times.
    ///   - hasLength: whether it has a length, or ends where the next one begins.
    mutating func pes(
        _ body: [UInt8], on pid: Int, streamID: UInt8 = 0xE0, at presentation: Int64?, hasLength: Bool = true
    ) -> [[UInt8]] {
        packets(of: pesBytes(body, streamID: streamID, at: presentation, hasLength: hasLength), on: pid)
    }

    /// A PES packet.
    func pesBytes(
        _ body: [UInt8], streamID: UInt8 = 0xE0, at presentation: Int64?, hasLength: Bool = true
    ) -> [UInt8] {
        var header: [UInt8] = [0, 0, 1, streamID, 0, 0, 0x80, presentation == nil ? 0 : 0x80]
        header.append(presentation == nil ? 0 : 5)
        if let time = presentation {
            let bits = UInt64(truncatingIfNeeded: time) & 0x1_FFFF_FFFF
            header.append(0x21 | UInt8(bits >> 29 & 0x0E))
            header += [UInt8(bits >> 22 & 0xFF), UInt8(bits >> 14 & 0xFE) | 1]
            header += [UInt8(bits >> 7 & 0xFF), UInt8(bits << 1 & 0xFE) | 1]
        }
        if hasLength {
            let length = header.count - 6 + body.count
            (header[4], header[5]) = (UInt8(length >> 8), UInt8(length & 0xFF))
        }
        return header + body
    }

    /// The transport packets of sections, one after the other.
    mutating func sections(_ sections: [[UInt8]], on pid: Int) -> [[UInt8]] {
        let body = [0] + sections.joined()
        let filled = (body.count + 183) / 184 * 184
        return packets(of: body + [UInt8](repeating: 0xFF, count: filled - body.count), on: pid)
    }

    /// Transport packets with these bytes, of which the last is filled by stuffing.
    ///
    /// - Parameters:
    ///   - byteCount: of the payload of each.
    ///   - starts: whether a PES packet or a section begins with the bytes.
    mutating func packets(
        of bytes: [UInt8], on pid: Int, each byteCount: Int = 184, starts: Bool = true
    ) -> [[UInt8]] {
        var (packets, rest) = ([[UInt8]](), bytes[...])
        while !rest.isEmpty {
            let payload = rest.prefix(byteCount)
            rest = rest.dropFirst(byteCount)
            let counter = counters[pid, default: 0]
            counters[pid] = (counter + 1) & 0xF
            let start: UInt8 = packets.isEmpty && starts ? 0x40 : 0
            let stuffing = 184 - payload.count
            let head = [0x47, start | UInt8(pid >> 8), UInt8(pid & 0xFF), (stuffing > 0 ? 0x30 : 0x10) | counter]
            var field: [UInt8] = stuffing > 0 ? [UInt8(stuffing - 1)] : []
            if stuffing > 1 { field += [0] + [UInt8](repeating: 0xFF, count: stuffing - 2) }
            packets.append(head + field + payload)
        }
        return packets
    }
}

/// The tables of a program with streams: the type, the PID and the descriptors of each.
func tables(
    _ streams: [(type: UInt8, pid: Int, descriptors: [UInt8])], version: UInt8 = 0, _ maker: inout PacketMaker
) -> [[UInt8]] {
    let association = Section(.programAssociation, identifier: 1, body: [0, 1, 0xE0 | 0x10, 0])
    var body: [UInt8] = [0xE0 | UInt8(streams[0].pid >> 8), UInt8(streams[0].pid & 0xFF), 0xF0, 0]
    for stream in streams {
        body += [stream.type, 0xE0 | UInt8(stream.pid >> 8), UInt8(stream.pid & 0xFF)]
        body += [0xF0 | UInt8(stream.descriptors.count >> 8), UInt8(stream.descriptors.count & 0xFF)]
        body += stream.descriptors
    }
    var map = Section(.programMap, identifier: 1, body: body)
    map.version = version
    return maker.sections([association.bytes], on: 0) + maker.sections([map.bytes], on: 0x1000)
}
