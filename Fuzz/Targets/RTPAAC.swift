import Fuzzing
import Media
import RTP
import Wire

/// Arbitrary packets yield only well-formed access units; each is the same after packetizing and depacketizing.
///
/// Input: the widths of the fields of an AU header, one byte each (invalid widths select those of AAC-hbr); then packets.
@Sendable func fuzzRTPAAC(_ input: [UInt8]) {
    var widths = Script(input)
    let layout =
        AUHeaderLayout(
            sizeLength: Int(widths.byte()), indexLength: Int(widths.byte()), indexDeltaLength: Int(widths.byte()))
        ?? .highBitRate
    var script = PacketScript(widths.rest())
    var depacketizer = AACDepacketizer(layout: layout)
    while let packet = script.next() {
        depacketizer.push(packet.payload.rawSpan, header: packet.header)
        while let unit = depacketizer.next() {
            check(unit)
            require(unit.bytes.count < 1 << layout.sizeLength, "a unit's length fits its size field")
            checkRoundTrip(unit, maximumPacketBytes: 64 + unit.bytes.count % 200)
        }
    }
}

private let track = Track(
    id: TrackID(0), clockRate: .audio48k,
    format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)))

private func checkRoundTrip(_ unit: ReceivedUnit, maximumPacketBytes: Int) {
    let packager = RTPPackager(tracks: [track], options: .init(maximumPacketBytes: maximumPacketBytes))
    guard let run = packager.package(accessUnit(unit, rate: .audio48k)) else {
        return require(false, "a unit that was received can be sent")
    }
    var depacketizer = AACDepacketizer()
    packets(of: run, maximumPacketBytes: maximumPacketBytes) { header, payload in
        depacketizer.push(payload.rawSpan, header: header)
    }
    require(depacketizer.next()?.bytes == unit.bytes, "a unit is the same after packetizing and depacketizing")
    require(depacketizer.next() == nil, "depacketizing yields one unit")
}
