import Fuzzing
import Media
import Wire

@testable import MP4

/// Any units with any times give fragments that a reader can follow: boxes that fit, samples that fill the media data, decode times
/// that browsers accept; and what a client gets has the same form.
@Sendable func fuzzMP4(_ input: [UInt8]) {
    var script = Script(input)
    let placement: ParameterSetPlacement = script.byte() & 1 == 0 ? .inBand : .outOfBand
    var packager = MP4Packager<[UInt8]>(tracks: tracks, options: placement)
    var (timeline, times, units) = (ClientTimeline(), [Time(ticks: 0), Time(ticks: 0)], [AccessUnit]())
    require(isFilledByBoxes(packager.head?.bytes ?? []), "an init segment consists of boxes")
    while !script.isAtEnd {
        let unit = nextUnit(&script, &times)
        units.append(unit)
        guard let fragment = packager.package(unit) else { continue }
        check(fragment)
        guard let fields = timeline.fields(for: fragment) else { continue }
        let own = [UInt8](byteCount: fragment.boxesByteCount(includesCaptureTime: false)) {
            fragment.writeBoxes(with: fields, includesCaptureTime: false, to: &$0)
        }
        require(own.count == fragment.boxesByteCount - fragment.captureTimeByteCount, "a client's boxes are as long")
        require(fields.decodeTime <= UInt64(Int64.max), "a client's times are not negative")
    }
    for fragment in packager.fastStart(units) { check(fragment) }
    checkSegment(of: units)
}

/// The last decode time of a track, in its ticks.
private struct Time {
    var ticks: Int64
}

private let tracks = [
    Track(id: TrackID(0), format: .h264(H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]])!)),
    Track(id: TrackID(1), format: .opus(channelCount: 2)),
]

/// A unit of either track: flags, the distance of its decode time, its composition offset, and its NAL units or packets.
private func nextUnit(_ script: inout Script, _ times: inout [Time]) -> AccessUnit {
    let flags = script.byte()
    let index = Int(flags & 1)
    let rate = tracks[index].clockRate
    switch flags >> 1 & 7 {
    case 0: times[index].ticks = Int64(bitPattern: UInt64(script.uint16()) << 48)
    case 1: times[index].ticks &+= Int64(script.uint16()) << 6
    default: times[index].ticks &+= Int64(script.uint16())
    }
    let decode = MediaTime(ticks: times[index].ticks, rate: rate)
    let shown = MediaTime(ticks: decode.ticks &+ Int64(script.byte()) << 4, rate: rate)
    var contents: [[UInt8]] = []
    for _ in 0...(Int(flags >> 6)) { contents.append(script.chunk()) }
    contents.removeAll(where: \.isEmpty)
    if contents.isEmpty { contents = [[0x41]] }
    let parts: [AccessUnit.Part] = [.whole, .first, .middle, .last]
    var unit = AccessUnit(
        track: TrackID(index), presentationTime: shown, decodeTime: decode, isKeyframe: flags & 0x20 != 0,
        part: index == 0 ? parts[Int(flags >> 4 & 3)] : .whole, nalUnits: contents)
    unit.captured = flags & 0x10 != 0 ? NTPTime(rawValue: 1) : nil
    return unit
}

private func check(_ fragment: MP4Fragment<[UInt8]>) {
    require(fragment.bytes.count == fragment.byteCount, "the bytes were counted")
    require(isFilledByBoxes(fragment.bytes), "a fragment consists of boxes")
    let payload = Array(fragment.bytes[fragment.boxesByteCount...])
    require(!payload.isEmpty, "a fragment has samples")
    guard fragment.kind == .video else { return }
    let (ranges, isDamaged) = H264.LengthPrefixed.units(in: payload, lengthSize: 4)
    require(!isDamaged && !ranges.isEmpty, "a frame consists of NAL units")
}

/// All units in one fragment: decode times are sums of durations, and none goes back.
private func checkSegment(of units: [AccessUnit]) {
    var fragmenter = Fragmenter(tracks: tracks, parameterSets: .outOfBand)
    guard let fragment = fragmenter.fragment(of: units) else { return }
    let bytes = [UInt8](byteCount: fragment.byteCount) { fragment.write(to: &$0) }
    require(bytes.count == fragment.byteCount && isFilledByBoxes(bytes), "a segment consists of boxes")
    for index in 0..<fragment.first.count {
        require(fragment.first[index].duration > 0, "every sample lasts for some time")
    }
}

private func isFilledByBoxes(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes.rawSpan)
    while reader.remaining > 0 {
        guard let size = reader.uint32(), size >= 8, reader.uint32() != nil, reader.skip(Int(size) - 8) else {
            return false
        }
    }
    return true
}
