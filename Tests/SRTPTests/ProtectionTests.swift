import RTP
import Testing

@testable import SRTP

/// Tests that sealed packets can be opened with the key, and no other packets.
struct ProtectionTests {
    private static let report: [UInt8] = [0x81, 201, 0, 7, 0xAB, 0xCD, 0xEF, 0x01] + (0..<24).map { $0 &* 5 }
    private static let header: [UInt8] = [0x80, 96, 0xF1, 0x7B, 0x80, 0x41, 0xF8, 0xD3, 0x55, 0x01, 0xA0, 0xB2]

    @Test(arguments: CipherSuite.allCases, [[], [1, 2, 3, 4]] as [[UInt8]])
    func anSRTCPPacketIsOpenedOnceAndOnlyByItsKey(suite: CipherSuite, identifier: [UInt8]) throws {
        let key = MasterKey.fixture(suite, identifier: identifier)
        let outgoing = try OutgoingProtection(key, ssrc: 1)
        let (own, other) = (
            try IncomingReports(key), try IncomingReports(.fixture(suite, identifier: identifier, seed: 1))
        )
        for number in 0..<3 {
            let sealed = try #require(outgoing.sealed(report: Self.report))
            #expect(sealed.count == Self.report.count + 4 + outgoing.overhead && sealed[..<8] == Self.report[..<8])
            #expect(sealed[8...].firstRange(of: Self.report[8...]) == nil)
            #expect(other.opened(sealed) == nil)
            #expect(own.opened(sealed) == Self.report, "number \(number)")
            #expect(own.opened(sealed) == nil, "a replay is rejected")
        }
    }

    @Test(arguments: CipherSuite.allCases, [[], [1, 2, 3, 4]] as [[UInt8]])
    func anSRTCPPacketWithAChangedBitOrMissingByteIsRejected(suite: CipherSuite, identifier: [UInt8]) throws {
        let key = MasterKey.fixture(suite, identifier: identifier)
        let incoming = try IncomingReports(key)
        let sealed = try #require(try OutgoingProtection(key, ssrc: 1).sealed(report: Self.report))
        for position in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[position] ^= 1 << bit
                #expect(incoming.opened(changed) == nil, "bit \(bit) of byte \(position)")
            }
            #expect(incoming.opened(Array(sealed[..<position])) == nil)
        }
        #expect(incoming.opened(sealed + [0]) == nil)
        #expect(incoming.opened(sealed) == Self.report, "rejected packets do not change the replay window")
    }

    @Test func packetsOfTooManySourcesAreRejected() throws {
        let key = MasterKey.fixture(.counterMode)
        let incoming = try IncomingReports(key)
        let opened = try (0..<20).filter { source in
            let outgoing = try OutgoingProtection(key, ssrc: 1)
            let report = Self.report[..<7] + [UInt8(source)] + Self.report[8...]
            return incoming.opened(try #require(outgoing.sealed(report: Array(report)))) != nil
        }
        #expect(opened == Array(0..<8))
    }

    @Test func anInvalidRTCPPacketIsNotSealed() throws {
        let outgoing = try OutgoingProtection(.fixture(.counterMode), ssrc: 1)
        #expect(outgoing.sealed(report: [0x80, 200, 0, 0]) == nil)
        #expect(outgoing.sealed(report: Array(Self.report[..<8])) != nil)
    }

    /// Compares with packets of libsrtp because the examples of the specifications have no tag in counter mode.
    @Test func protectedPacketsHaveTheSpecifiedLayout() throws {
        let payload = (0..<100).map { UInt8($0) }
        for suite in CipherSuite.allCases {
            let plain = try OutgoingProtection(.fixture(suite), ssrc: 0x5501_A0B2)
            let named = try OutgoingProtection(.fixture(suite, identifier: [9, 8, 7, 6]), ssrc: 0x5501_A0B2)
            let (short, long) = (
                plain.sealed(payload, header: Self.header, index: 0x1_F17B),
                named.sealed(payload, header: Self.header, index: 0x1_F17B)
            )
            #expect(short.count == 100 + suite.tagByteCount && long.count == short.count + 4)
            // In counter mode the tag comes last; with GCM, the key identifier.
            let place = suite == .gcm ? short.count : 100
            #expect(long == Array(short[..<place]) + [9, 8, 7, 6] + Array(short[place...]))
        }
    }

    @Test(arguments: CipherSuite.allCases)
    func twoPacketsNeverHaveTheSameKeyStream(suite: CipherSuite) throws {
        let outgoing = try OutgoingProtection(.fixture(suite), ssrc: 7)
        let payload = [UInt8](repeating: 0, count: 64)
        let indices: [UInt64] = [0, 1, 0xFFFF, 0x1_0000, 0x1_0001, 0xFFFF_FFFF_FFFF]
        let streams = indices.map { outgoing.sealed(payload, header: Self.header, index: $0).prefix(64) }
        #expect(Set(streams.map(Array.init)).count == indices.count)
        let other = try OutgoingProtection(.fixture(suite), ssrc: 8)
        #expect(other.sealed(payload, header: Self.header, index: 0).prefix(64) != streams[0])
    }
}
