import Testing
import Wire

@testable import RTP

/// Lost packets that come in a stream of their own.
struct RetransmittedPacketTests {
    private func packet(_ payload: [UInt8], padding: [UInt8] = []) -> [UInt8] {
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 97), isMarked: true, sequenceNumber: SequenceNumber(9),
            timestamp: 90_000, ssrc: SSRC(2), headerExtension: .init(profile: 0xBEDE, data: [0x10, 7, 0, 0]))
        var writer = ByteWriter()
        header.write(to: &writer)
        writer.append(payload + padding)
        var bytes = writer.bytes
        if !padding.isEmpty { bytes[0] |= 0x20 }
        return bytes
    }

    private func lostPacket(in packet: [UInt8]) -> [UInt8]? {
        RetransmittedPacket.original(
            of: packet.rawSpan, payloadType: PayloadType(lowBitsOf: 96), source: SSRC(1))
    }

    @Test func theLostPacketHasItsOwnNumberAndSource() throws {
        let original = try #require(lostPacket(in: packet([0x12, 0x34, 5, 6, 7])))
        let parsed = Header.parse(original.rawSpan)
        let (header, payload) = try #require(parsed)
        #expect(
            header
                == Header(
                    payloadType: PayloadType(lowBitsOf: 96), isMarked: true, sequenceNumber: SequenceNumber(0x1234),
                    timestamp: 90_000, ssrc: SSRC(1)))
        #expect(Array(original[payload]) == [5, 6, 7])
    }

    @Test func paddingIsNotPartOfTheLostPacket() throws {
        let original = try #require(lostPacket(in: packet([0, 1, 5], padding: [0, 0, 3])))
        #expect(original.last == 5)
    }

    @Test func aPacketWithoutALostOneIsNone() {
        for payload: [UInt8] in [[], [1], [1, 2]] { #expect(lostPacket(in: packet(payload)) == nil) }
        #expect(lostPacket(in: packet([], padding: [0, 0, 0, 4])) == nil)
        #expect(lostPacket(in: [0x80]) == nil)
    }
}
