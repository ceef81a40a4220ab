import Media
import TestSupport

@testable import MPEGTS

let video = TrackID(0)
let audio = TrackID(1)
let videoPID = 0x100
let audioPID = 0x101

/// Parameter sets as the track announces them.
let announced: [[UInt8]] = [[0x67, 66, 0, 30], [0x68, 0xCE]]
/// The delimiter that is inserted before access units without one.
let delimiter: [UInt8] = [0x09, 0xF0]

/// A video track (0) and an audio track (1).
func tracks(audioRate: ClockRate = .audio48k) -> [Track] {
    guard let sets = H264.ParameterSets(sequence: [announced[0]], picture: [announced[1]]) else {
        preconditionFailure("these are parameter sets")
    }
    let config = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: audioRate, channelCount: 2)
    return [
        Track(id: video, clockRate: .video, format: .h264(sets)),
        Track(id: audio, clockRate: audioRate, format: .aac(config)),
    ]
}

/// A NAL unit whose body has no zeros, so that it contains no start code.
func nalUnit(_ type: UInt8, _ byteCount: Int, seed: Int = 0) -> [UInt8] {
    [0x60 | type] + (1..<max(byteCount, 2)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) | 1 }
}

func videoUnit(
    _ nalUnits: [[UInt8]], at ticks: Int64, decodedAt decode: Int64? = nil, isKeyframe: Bool = false,
    part: AccessUnit.Part = .whole
) -> AccessUnit {
    AccessUnit(
        track: video, presentationTime: MediaTime(ticks: ticks, rate: .video),
        decodeTime: MediaTime(ticks: decode ?? ticks, rate: .video), isKeyframe: isKeyframe, part: part,
        nalUnits: nalUnits)
}

func audioUnit(_ blocks: [[UInt8]], at ticks: Int64, rate: ClockRate = .audio48k) -> AccessUnit {
    let time = MediaTime(ticks: ticks, rate: rate)
    return AccessUnit(
        track: audio, presentationTime: time, decodeTime: time, isKeyframe: true, nalUnits: blocks)
}

/// A live stream of random video and audio, in decoding order.
struct Broadcast {
    /// Ticks of 90 kHz between frames.
    var interval: Int64 = 3_000
    /// Whether presentation order differs from decoding order.
    var reorders = false
    /// Whether frames come in parts, with audio in between.
    var comesInParts = false
    var maximumFrameByteCount = 6_000
    /// The delay of frames after their decode time.
    var videoLag: Int64 = 0
    var audioRate = ClockRate.audio48k

    func units(seconds: Int64, seed: UInt64) -> [AccessUnit] {
        var random = SplitMix64(seed: seed)
        var units: [(comes: Int64, unit: AccessUnit)] = []
        for number in 0..<(seconds * 90_000 / interval) {
            for (index, part) in videoUnits(number, using: &random).enumerated() {
                units.append((number * interval + videoLag + Int64(index) * interval / 4, part))
            }
        }
        for number in 0..<(seconds * Int64(audioRate.hertz) / 1024) {
            let block = [UInt8](repeating: UInt8(number & 0xFF), count: Int.random(in: 1...400, using: &random))
            let unit = audioUnit([block], at: number * 1024, rate: audioRate)
            units.append((unit.decodeTime.at90kHz.ticks, unit))
        }
        // Video first if both are due.
        return units.enumerated().sorted { ($0.element.comes, $0.offset) < ($1.element.comes, $1.offset) }
            .map(\.element.unit)
    }

    private func videoUnits(_ number: Int64, using random: inout SplitMix64) -> [AccessUnit] {
        let isKeyframe = number % 30 == 0
        var nalUnits = (0..<Int.random(in: 1...4, using: &random)).map { index in
            nalUnit(isKeyframe ? 5 : 1, Int.random(in: 1...maximumFrameByteCount, using: &random), seed: index)
        }
        if Bool.random(using: &random) { nalUnits.insert([0x09, 0x10], at: 0) }
        if isKeyframe, Bool.random(using: &random) {
            nalUnits.insert(contentsOf: announced, at: nalUnits[0][0] == 9 ? 1 : 0)
        }
        let decode = number * interval
        let shown = decode + (reorders ? [1, 3, 0, 2][Int(number % 4)] * interval : 0)
        guard comesInParts, nalUnits.count > 2 else {
            return [videoUnit(nalUnits, at: shown, decodedAt: decode, isKeyframe: isKeyframe)]
        }
        return nalUnits.indices.dropFirst().map { index in
            videoUnit(
                index == 1 ? Array(nalUnits[...1]) : [nalUnits[index]], at: shown, decodedAt: decode,
                isKeyframe: isKeyframe && index == 1,
                part: index == 1 ? .first : index == nalUnits.count - 1 ? .last : .middle)
        }
    }
}

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
