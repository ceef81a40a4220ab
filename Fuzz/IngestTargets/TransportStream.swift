import Fuzzing
import MPEGTS
import Media
import Wire

/// Arbitrary transport streams, and streams of packets, tables and PES packets that a script writes: any split gives the same outputs,
/// units are well-formed, and no byte is received twice. What the multiplexer writes is read back.
@Sendable func fuzzTransportStream(_ input: [UInt8]) {
    var script = Script(input)
    let mode = script.byte()
    switch mode & 3 {
    case 0: checkSplits(of: script.rest(), seed: mode)
    case 1: checkRoundTrip(&script)
    default:
        var stream = StreamScript(script)
        checkSplits(of: stream.bytes(), seed: mode)
    }
}

// MARK: - Reading

private func checkSplits(of bytes: [UInt8], seed: UInt8) {
    let whole = outputs(of: [bytes])
    let split = outputs(of: pieces(of: bytes, seed: seed))
    require(whole.programs == split.programs, "any split gives the same programs")
    require(whole.units.count == split.units.count, "any split gives as many units")
    for (one, other) in zip(whole.units, split.units) {
        require(one.bytes == other.bytes && one.units == other.units, "any split gives the same units")
        require(
            one.presentationTime == other.presentationTime && one.decodeTime == other.decodeTime
                && one.isComplete == other.isComplete && one.timeBase == other.timeBase,
            "any split gives the same times")
    }
    let byteCount = whole.units.reduce(0) { $0 + $1.bytes.count }
    require(byteCount <= bytes.count, "no byte is received twice")
}

private struct Outputs {
    var programs: [Program] = []
    var units: [ProgramUnit] = []
}

private func outputs(of pieces: [[UInt8]]) -> Outputs {
    var demultiplexer = Demultiplexer()
    var outputs = Outputs()
    // After a first packet it is known where packets begin, however the bytes are split.
    let null = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    for piece in [null] + pieces {
        demultiplexer.receive(piece.rawSpan, arrival: MonotonicTime(nanoseconds: 7))
        take(from: &demultiplexer, &outputs)
    }
    demultiplexer.finish()
    take(from: &demultiplexer, &outputs)
    return outputs
}

private func take(from demultiplexer: inout Demultiplexer, _ outputs: inout Outputs) {
    while let output = demultiplexer.next() {
        switch output {
        case .program(let program):
            require(program.streams.count <= 2, "a program has one video and one audio")
            outputs.programs.append(program)
        case .unit(let unit):
            require(outputs.programs.last?.streams.indices.contains(unit.stream) == true, "a unit has a stream")
            var end = 0
            for range in unit.units {
                require(range.lowerBound == end && !range.isEmpty, "NAL units are contiguous and not empty")
                end = range.upperBound
            }
            require(end == unit.bytes.count && end > 0, "NAL units cover the bytes")
            outputs.units.append(unit)
        }
    }
}

// MARK: - What is written

private let video = Track(
    id: TrackID(0), format: .h264(H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]])!))
private let audio = Track(id: TrackID(1), format: .opus(channelCount: 2))

private func checkRoundTrip(_ script: inout Script) {
    var multiplexer = Multiplexer(tracks: [video, audio])
    var (bytes, frames, sounds) = ([UInt8](), [[UInt8]](), [[UInt8]]())
    var times: [[Int64]] = [[], []]
    var ticks: Int64 = 0
    while !script.isAtEnd {
        let flags = script.byte()
        let content = script.chunk()
        ticks += 1 + Int64(flags >> 2)
        let isVideo = flags & 1 == 0
        // Without zeros there are no start codes; with a slice and its first macroblock, each frame is one.
        let unit = isVideo ? [flags & 2 == 0 ? 0x41 : 0x65, 0x88] + content.map { $0 | 1 } : [0x78] + content
        let time = MediaTime(ticks: ticks, rate: isVideo ? .video : .audio48k)
        let accessUnit = AccessUnit(
            track: isVideo ? video.id : audio.id, presentationTime: time, decodeTime: time,
            isKeyframe: flags & 2 != 0, nalUnits: [unit])
        guard let packets = multiplexer.packets(of: accessUnit) else { continue }
        bytes += written(packets)
        if isVideo { frames.append(unit) } else { sounds.append(unit) }
        // The multiplexer's times begin at ten seconds.
        times[isVideo ? 0 : 1].append(time.at90kHz.ticks + 900_000)
    }
    let units = outputs(of: [bytes]).units
    let slices = units.filter { $0.stream == 0 }.map { unit in unit.units.last.map { Array(unit.bytes[$0]) } ?? [] }
    require(slices == frames, "the frames that are written are read")
    require(units.filter { $0.stream == 1 }.map(\.bytes) == sounds, "the audio that is written is read")
    for stream in 0...1 {
        let read = units.filter { $0.stream == stream }.map(\.presentationTime.ticks)
        require(read == times[stream], "units are read with their times")
    }
    require(units.allSatisfy(\.isComplete), "nothing is lost")
}

private func written(_ packets: TransportPackets) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: packets.byteCount, alignment: 1)
    defer { memory.deallocate() }
    var output = OutputRawSpan(buffer: memory, initializedCount: 0)
    packets.write(to: &output)
    let count = output.finalize(for: memory)
    return Array(memory.prefix(count))
}

/// Writes transport packets with right counters, tables with right checksums and PES packets, unless the script says otherwise.
private struct StreamScript {
    private var script: Script
    private var counters: [UInt16: UInt8] = [:]
    private var result: [UInt8] = []

    init(_ script: Script) {
        self.script = script
    }

    mutating func bytes() -> [UInt8] {
        while !script.isAtEnd { step() }
        return result
    }

    private mutating func step() {
        let flags = script.byte()
        switch flags & 7 {
        case 0 where flags & 0xC0 == 0xC0:
            packet([0] + section(0x42, 1, [0, 1, 0xFF] + script.chunk()), on: 0x11, flags | 8)
        case 0: packet([0] + section(0, 1, [0, 1, 0xF0, 0] + (flags & 8 == 0 ? [] : script.chunk())), on: 0, flags | 8)
        case 1: packet([0] + section(2, 1, map(flags)), on: 0x1000, flags | 8)
        case 2: pes(on: 0x100, flags)
        case 3: pes(on: 0x101, flags)
        case 4: packet(script.chunk(), on: 0x100, flags & ~8)
        case 5: packet(script.chunk(), on: 0x101, flags & ~8)
        case 6: packet(script.chunk(), on: flags & 8 == 0 ? 0 : 0x1000, flags)
        default: result += script.chunk()
        }
    }

    /// A video stream and an audio stream, with descriptors from the script.
    private mutating func map(_ flags: UInt8) -> [UInt8] {
        let types: [UInt8] = [0x1B, 0x24, 0x0F, 0x11, 0x06, 0x81]
        let descriptors: [UInt8] =
            flags & 0x40 == 0 ? [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, 2] : Array(script.chunk().prefix(60))
        let (first, second) = (types[Int(flags >> 3 & 1)], types[2 + Int(script.byte() & 3)])
        return [0xE1, 0, 0xF0, 0, first, 0xE1, 0, 0xF0, 0, second, 0xE1, 1, 0xF0, UInt8(descriptors.count)]
            + descriptors
    }

    private func section(_ table: UInt8, _ identifier: UInt8, _ body: [UInt8]) -> [UInt8] {
        let length = 9 + min(body.count, 900)
        let bytes =
            [table, 0xB0 | UInt8(length >> 8), UInt8(length & 0xFF), 0, identifier, 0xC1, 0, 0] + body.prefix(900)
        let checksum = cyclicRedundancyCheck(bytes)
        return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) }
    }

    private mutating func pes(on pid: UInt16, _ flags: UInt8) {
        let (time, body) = (script.byte(), script.chunk())
        let length = flags & 8 == 0 ? 0 : 8 + body.count
        let times: [UInt8] = [0x21, 0, UInt8(time >> 7) << 1 | 1, time, 0x01]
        packet(
            [0, 0, 1, 0xE0, UInt8(length >> 8), UInt8(length & 0xFF), 0x80, 0x80, 5] + times + body, on: pid, flags | 8)
    }

    /// Transport packets with a payload. Flags: 8 begins a unit, 16 has a discontinuity or a clock, 32 skips a number.
    private mutating func packet(_ payload: [UInt8], on pid: UInt16, _ flags: UInt8) {
        var rest = payload[...]
        var isFirst = true
        repeat {
            let field: [UInt8] = flags & 16 == 0 || !isFirst ? [] : [flags & 0x80 | 0x10, 0, 0, script.byte(), 0, 0, 0]
            let body = rest.prefix(field.isEmpty ? 184 : 176)
            rest = rest.dropFirst(body.count)
            let counter = counters[pid, default: 0] &+ (flags & 32 == 0 || !isFirst ? 0 : 1)
            counters[pid] = counter &+ 1
            let start: UInt8 = flags & 8 != 0 && isFirst ? 0x40 : 0
            result += [0x47, start | UInt8(pid >> 8), UInt8(pid & 0xFF)]
            let room = 184 - body.count
            result.append((room > 0 ? 0x30 : 0x10) | counter & 0xF)
            if room > 0 {
                result.append(UInt8(room - 1))
                let filled = room > 1 && field.isEmpty ? [0] : field
                result += filled + [UInt8](repeating: 0xFF, count: room - 1 - filled.count)
            }
            result += body
            isFirst = false
        } while !rest.isEmpty
    }
}
