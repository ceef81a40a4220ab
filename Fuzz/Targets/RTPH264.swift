import Media
import RTP
import Wire

/// Arbitrary packets yield only well-formed access units; each complete one is the same after packetizing and depacketizing.
@Sendable func fuzzRTPH264(_ input: [UInt8]) {
    var script = PacketScript(input)
    var depacketizer = H264Depacketizer()
    var units: [ReceivedUnit] = []
    while let packet = script.next() {
        depacketizer.push(packet.payload.rawSpan, header: packet.header)
        while let unit = depacketizer.next() { units.append(unit) }
    }
    depacketizer.flush()
    while let unit = depacketizer.next() { units.append(unit) }
    for unit in units {
        check(unit)
        checkRoundTrip(unit, maximumPacketBytes: 64 + unit.bytes.count % 200)
    }
}

private let track = Track(
    id: TrackID(0), clockRate: .video,
    // The contents of the parameter sets do not matter for packetizing.
    format: .h264(H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]])!))

private func checkRoundTrip(_ unit: ReceivedUnit, maximumPacketBytes: Int) {
    // Access unit delimiters are not sent.
    guard !unit.units.contains(where: { unit.bytes[$0.lowerBound] & 0x1F == 9 }) else { return }
    let packager = RTPPackager(tracks: [track], options: .init(maximumPacketBytes: maximumPacketBytes))
    guard let run = packager.package(accessUnit(unit, rate: .video)) else {
        return require(false, "a unit that was received can be sent")
    }
    var depacketizer = H264Depacketizer()
    packets(of: run, maximumPacketBytes: maximumPacketBytes) { header, payload in
        depacketizer.push(payload.rawSpan, header: header)
    }
    let again = depacketizer.next()
    require(
        again?.bytes == unit.bytes && again?.units == unit.units,
        "a unit is the same after packetizing and depacketizing")
    require(again?.isComplete == true && depacketizer.next() == nil, "depacketizing yields one unit")
}
