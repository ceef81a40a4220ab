import Testing

@testable import WebRTC

/// RFC 7983, section 7, and RFC 5761, section 4.
@Suite struct DatagramKindTests {
    @Test func theFirstByteTellsTheProtocolsApart() {
        for first in UInt8.min...UInt8.max {
            let expected: DatagramKind? =
                switch first {
                case 0...3: .stun
                case 20...63: .dtls
                case 128...191: .rtp
                default: nil
                }
            #expect(DatagramKind([first, 0]) == expected)
        }
    }

    @Test func packetTypesOfReportsAreNotPayloadTypes() {
        for second in UInt8.min...UInt8.max {
            #expect(DatagramKind([0x80, second]) == ((192...223).contains(second) ? .rtcp : .rtp))
        }
    }

    @Test func aDatagramWithoutTwoBytesIsNothing() {
        #expect(DatagramKind([]) == nil)
        #expect(DatagramKind([0]) == nil)
    }
}
