import RTP
import TestSupport
import Testing
import Wire

@Suite struct HeaderTests {
    static let headers: [Header] = [
        Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: true, sequenceNumber: SequenceNumber(65_535),
            timestamp: .max, ssrc: SSRC(1)),
        Header(
            payloadType: PayloadType(lowBitsOf: 127), isMarked: false, sequenceNumber: SequenceNumber(0), timestamp: 0,
            ssrc: SSRC(.max), contributingSources: (1...15).map { SSRC($0) }),
        Header(
            payloadType: PayloadType(lowBitsOf: 33), isMarked: false, sequenceNumber: SequenceNumber(7), timestamp: 9,
            ssrc: SSRC(3), contributingSources: [SSRC(8)],
            headerExtension: .init(profile: 0xBEDE, data: [0x10, 1, 0, 0, 0x20, 2, 0, 0])),
        Header(
            payloadType: PayloadType(lowBitsOf: 0), isMarked: true, sequenceNumber: SequenceNumber(7), timestamp: 9,
            ssrc: SSRC(3), headerExtension: .init(profile: 1, data: [])),
    ]

    @Test(arguments: headers)
    func aWrittenHeaderIsParsed(header: Header) throws {
        var writer = ByteWriter()
        header.write(to: &writer)
        let headerBytes = writer.bytes.count
        writer.append([1, 2, 3] as [UInt8])
        let (parsed, payload) = try #require(Header.parse(writer.bytes))
        #expect(parsed == header)
        #expect(payload == headerBytes..<(headerBytes + 3))
    }

    @Test(arguments: headers)
    func aTruncatedHeaderIsRejected(header: Header) {
        var writer = ByteWriter()
        header.write(to: &writer)
        for end in 0..<writer.bytes.count {
            #expect(Header.parse([UInt8](writer.bytes[..<end])) == nil)
        }
    }

    @Test(arguments: [(1, 3), (4, 0), (5, nil), (0, nil)] as [(UInt8, Int?)])
    func validPaddingIsRemoved(padding: UInt8, payloadBytes: Int?) {
        let packet: [UInt8] = [0xA0, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9, 9, padding]
        #expect(Header.parse(packet)?.payload.count == payloadBytes)
    }

    @Test func otherVersionsAreRejected() {
        for version in [0, 1, 3] as [UInt8] {
            #expect(Header.parse([UInt8](repeating: version << 6, count: 20)) == nil)
        }
    }

    @Test func damagedPacketsNeverTrap() {
        var random = SplitMix64(seed: 1)
        var refused = 0
        for _ in 0..<5000 {
            let packet = random.bytes(Int.random(in: 0...60, using: &random))
            guard let (_, payload) = Header.parse(packet) else {
                refused += 1
                continue
            }
            #expect(payload.lowerBound >= 12 && payload.upperBound <= packet.count)
        }
        #expect(refused > 3000)
    }

    @Test func aRewrittenHeaderIsParsed() throws {
        var rewriter = HeaderRewriter.forTests()
        rewriter.advance(by: 3)
        let run = try #require(packager().package(accessUnit([[0x41]], ticks: 0x1_0000_0200)))
        let timestamp = rewriter.timestamp(of: run.presentationTime)
        #expect(timestamp == 0x100)
        let headers = rewriter.headers(of: run, ticks: run.presentationTime.rtpTicks)
        for (index, number) in [(0, 65_533), (2, 65_535), (3, 0), (5, 2)] as [(Int, UInt16)] {
            let bytes = headers.bytes(ofPacket: index, isMarked: index == 3)
            #expect(bytes.count == 12)
            let header = try #require(Header.parse(bytes)).header
            #expect(
                header
                    == Header(
                        payloadType: rewriter.payloadType, isMarked: index == 3, sequenceNumber: SequenceNumber(number),
                        timestamp: timestamp, ssrc: rewriter.ssrc))
        }
    }

    @Test func payloadTypesHaveSevenBits() {
        #expect(PayloadType(127)?.rawValue == 127)
        #expect(PayloadType(128) == nil)
    }
}
