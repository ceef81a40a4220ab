import Media
import TestSupport

@testable import MPEGTS

let video = Broadcast.video
let audio = Broadcast.audio
let videoPID = 0x100
let audioPID = 0x101

/// Parameter sets as the track announces them.
let announced = Broadcast.parameterSets
/// The delimiter that is inserted before access units without one.
let delimiter: [UInt8] = [0x09, 0xF0]

func tracks(audioRate: ClockRate = .audio48k) -> [Track] { Broadcast.tracks(audioRate: audioRate) }

func nalUnit(_ type: UInt8, _ byteCount: Int, seed: Int = 0) -> [UInt8] {
    Broadcast.nalUnit(type, byteCount, seed: seed)
}

func videoUnit(
    _ nalUnits: [[UInt8]], at ticks: Int64, decodedAt decode: Int64? = nil, isKeyframe: Bool = false,
    part: AccessUnit.Part = .whole
) -> AccessUnit {
    Broadcast.videoUnit(nalUnits, at: ticks, decodedAt: decode, isKeyframe: isKeyframe, part: part)
}

func audioUnit(_ blocks: [[UInt8]], at ticks: Int64) -> AccessUnit { Broadcast.audioUnit(blocks, at: ticks) }

extension TransportPackets {
    /// The written bytes as an array.
    var bytes: [UInt8] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        write(to: &output)
        return Array(memory.prefix(output.finalize(for: memory)))
    }
}

extension Multiplexer {
    /// The transport packets of `units`.
    mutating func bytes(of units: [AccessUnit]) -> [[UInt8]] {
        units.compactMap { packets(of: $0)?.bytes }
    }
}

/// The result of receiving `units`.
func received(_ units: [AccessUnit], tracks: [Track] = tracks()) -> Receiver {
    var multiplexer = Multiplexer(tracks: tracks)
    var receiver = Receiver()
    for bytes in multiplexer.bytes(of: units) { receiver.receive(bytes) }
    return receiver
}
