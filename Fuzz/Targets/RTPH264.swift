import Fuzzing
import Media
import RTP
import Wire

/// Arbitrary packets yield only well-formed access units; each complete one is the same after packetizing and depacketizing.
@Sendable func fuzzRTPH264(_ input: [UInt8]) {
    fuzz(input, H264PayloadHeader.self, track)
}

/// The same for H.265, whose packets differ only in the header.
@Sendable func fuzzRTPH265(_ input: [UInt8]) {
    fuzz(input, H265PayloadHeader.self, h265Track)
}

private func fuzz<UnitHeader: NALUnitPayloadHeader>(_ input: [UInt8], _ header: UnitHeader.Type, _ track: Track) {
    var script = PacketScript(input)
    var depacketizer = NALUnitDepacketizer<UnitHeader>()
    var units: [ReceivedUnit] = []
    while let packet = script.next() {
        depacketizer.push(packet.payload.rawSpan, header: packet.header)
        while let unit = depacketizer.next() { units.append(unit) }
    }
    depacketizer.flush()
    while let unit = depacketizer.next() { units.append(unit) }
    for unit in units {
        check(unit)
        checkRoundTrip(unit, header, track, maximumPacketBytes: 64 + unit.bytes.count % 200)
    }
}

private let track = Track(
    id: TrackID(0), clockRate: .video,
    // The contents of the parameter sets do not matter for packetizing.
    format: .h264(H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]])!))

private let h265Track = Track(
    id: TrackID(0), clockRate: .video,
    format: .h265(
        H265.ParameterSets(
            video: [[0x40, 0x01, 0x0C, 0x01]],
            // 640×360, of x265.
            sequence: [
                [
                    0x42, 0x01, 0x01, 0x01, 0x60, 0, 0, 3, 0, 0x90, 0, 0, 3, 0, 0, 3, 0, 0x3F, 0xA0, 0x05, 0x02, 0x01,
                    0x69,
                ]
                    + [0x65, 0x95, 0x96, 0x49, 0x32, 0xBC, 0x05, 0xA0, 0x20, 0, 0, 3, 0, 0x20, 0, 0, 3, 3, 0x21]
            ], picture: [[0x44, 0x01, 0xC1]])!))

private func checkRoundTrip<UnitHeader: NALUnitPayloadHeader>(
    _ unit: ReceivedUnit, _ header: UnitHeader.Type, _ track: Track, maximumPacketBytes: Int
) {
    // Access unit delimiters are not sent.
    let headers = unit.units.map { range in
        UnitHeader(
            first: unit.bytes[range.lowerBound],
            second: UnitHeader.byteCount > 1 ? unit.bytes[range.lowerBound + 1] : 0)
    }
    guard !headers.contains(where: \.isDelimiter) else { return }
    let packager = RTPPackager(tracks: [track], options: .init(maximumPacketBytes: maximumPacketBytes))
    guard let run = packager.package(accessUnit(unit, rate: .video)) else {
        return require(false, "a unit that was received can be sent")
    }
    var depacketizer = NALUnitDepacketizer<UnitHeader>()
    packets(of: run, maximumPacketBytes: maximumPacketBytes) { header, payload in
        depacketizer.push(payload.rawSpan, header: header)
    }
    let again = depacketizer.next()
    require(
        again?.bytes == unit.bytes && again?.units == unit.units,
        "a unit is the same after packetizing and depacketizing")
    require(again?.isComplete == true && depacketizer.next() == nil, "depacketizing yields one unit")
}
