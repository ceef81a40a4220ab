import Fuzzing
import Media
import RTP
import Wire

/// Arbitrary configurations of LATM, then arbitrary packets of LATM, Opus and G.711: units are well-formed, and no longer than what
/// was sent.
@Sendable func fuzzRTPAudio(_ input: [UInt8]) {
    var head = Script(input)
    let configuration = AAC.StreamMuxConfig(parsing: head.chunk()) ?? usual
    require((1...64).contains(configuration.unitsPerElement), "an element has 1 to 64 units")
    var latm = LATMDepacketizer(configuration)
    var opus = AudioDepacketizer()
    var telephony = AudioDepacketizer(stereo)
    var packets = PacketScript(input)
    var byteCount = 0
    var received = (latm: 0, opus: 0, telephony: 0)
    while let packet = packets.next() {
        byteCount += packet.payload.count
        latm.push(packet.payload.rawSpan, header: packet.header)
        while let unit = latm.next() { received.latm += checked(unit) }
        opus.push(packet.payload.rawSpan, header: packet.header)
        while let unit = opus.next() { received.opus += checked(unit) }
        telephony.push(packet.payload.rawSpan, header: packet.header)
        while let unit = telephony.next() {
            require(unit.bytes.count <= stereo.maximumUnitByteCount, "a unit fits a packet")
            received.telephony += checked(unit)
        }
    }
    require(max(received.latm, received.opus, received.telephony) <= byteCount, "no byte is received twice")
}

private func checked(_ unit: ReceivedUnit) -> Int {
    check(unit)
    return unit.bytes.count
}

private let usual = AAC.StreamMuxConfig(parsing: [0x40, 0x00, 0x23, 0x10, 0x3F, 0xC0])!
private let stereo = G711(.mu, sampleRate: .audio48k, channelCount: 2)!
