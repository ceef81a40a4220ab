import RTP
import Testing
import Wire

/// draft-alvestrand-rmcat-remb-03, section 2.2.
@Suite struct BitrateLimitTests {
    private func written(_ limit: BitrateLimit) -> [UInt8] {
        Compound([.feedback(Feedback(sender: SSRC(1), request: .bitrateLimit(limit)))]).encoded()
    }

    private func read(_ datagram: [UInt8]) throws -> BitrateLimit? {
        let compound = try Compound(parsing: datagram.rawSpan, allowsReducedSize: true)
        guard case .feedback(let feedback)? = compound.packets.first,
            case .bitrateLimit(let limit) = feedback.request
        else { return nil }
        return limit
    }

    @Test func theFieldsAreInTheirPlaces() {
        #expect(
            written(BitrateLimit(bitsPerSecond: 524_288, sources: [SSRC(7)])) == [
                0x8F, 206, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0x52, 0x45, 0x4D, 0x42, 1, 0x0A, 0, 0, 0, 0, 0, 7,
            ])
    }

    @Test(arguments: [0, 1, 30_000, 262_143, 262_144, 2_500_000, 1 << 40, 0x3FFFF << 46] as [UInt64])
    func aRateIsReadAsItWasWritten(rate: UInt64) throws {
        let limit = BitrateLimit(bitsPerSecond: rate, sources: [SSRC(7), SSRC(8)])
        let exact = try #require(try read(written(limit)))
        #expect(exact.sources == limit.sources)
        #expect(exact.bitsPerSecond <= rate && rate - exact.bitsPerSecond <= rate >> 17)
    }

    @Test func aRateBeyondAllBitsIsTheLargest() throws {
        var datagram = written(BitrateLimit(bitsPerSecond: 0, sources: []))
        datagram[17...19] = [0xFF, 0xFF, 0xFF]
        let limit = try #require(try read(datagram))
        #expect(limit.bitsPerSecond == 0x3FFFF << 46)
        #expect(try read(written(limit)) == limit)
    }

    /// Other applications use the same format (RFC 4585, section 6.4), and sources may be missing.
    @Test func otherMessagesAreNone() {
        var other = written(BitrateLimit(bitsPerSecond: 1, sources: []))
        other[12] = 0x53
        #expect(throws: Compound.ParseError.malformed(packetType: 206)) { try read(other) }
        var short = written(BitrateLimit(bitsPerSecond: 1, sources: [SSRC(1)]))
        short[16] = 2
        #expect(throws: Compound.ParseError.malformed(packetType: 206)) { try read(short) }
    }
}
