import Media
import RTP
import TestSupport
import Testing

@Suite struct AbsoluteCaptureTimeTests {
    private static let time = NTPTime(rawValue: 0x1112_1314_1516_1718)

    private static func header(_ data: [UInt8], profile: UInt16 = 0xBEDE) -> Header {
        Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: false, sequenceNumber: SequenceNumber(1), timestamp: 2,
            ssrc: SSRC(3), headerExtension: .init(profile: profile, data: data))
    }

    /// A header as in a viewer's packets.
    private static func written(_ captured: NTPTime?, _ extensions: [HeaderExtension] = [.absoluteCaptureTime]) throws
        -> [UInt8]
    {
        var unit = accessUnit([[0x41]], ticks: 7)
        unit.captured = captured
        let run = try #require(packager().package(unit))
        return HeaderRewriter.forTests(extensions: HeaderExtensionLayout(extensions)).headers(of: run, ticks: 7)
            .bytes(ofPacket: 0, isMarked: true)
    }

    @Test func theBytesMatchTheDocumentation() throws {
        let bytes = try Self.written(Self.time)
        #expect(bytes.count == 28 && bytes[0] == 0x90)
        #expect(Array(bytes[12...]) == [0xBE, 0xDE, 0, 3, 0x17] + Array(0x11...0x18) + [0, 0, 0])
        #expect(try Self.written(nil) == [0x80] + bytes[1..<12])
        #expect(try Self.written(Self.time, []) == Self.written(nil))
    }

    @Test func aWrittenTimeIsParsed() throws {
        var random = SplitMix64(seed: 12)
        for _ in 0..<1_000 {
            let time = NTPTime(rawValue: .random(in: 0...UInt64.max, using: &random))
            let packet = try Self.written(time) + [1, 2, 3]
            let (header, payload) = try #require(Header.parse(packet))
            #expect(AbsoluteCaptureTime.time(in: header, identifier: 1) == time)
            #expect(payload == 28..<31)
            #expect(header.isMarked && header.sequenceNumber == SequenceNumber(65_530))
        }
    }

    @Test func theTimeIsFoundAfterOtherElementsAndPaddingAndInTheLongForm() {
        let element = Array(0x11...0x18) as [UInt8]
        let others: [[UInt8]] = [
            [0x57] + element + [0, 0, 0],
            [0x20, 9, 0, 0, 0x57] + element + [0, 0, 0],
            [0x5F] + element + [1, 2, 3, 4, 5, 6, 7, 8] + [0, 0, 0],
        ]
        for data in others { #expect(AbsoluteCaptureTime.time(in: Self.header(data), identifier: 5) == Self.time) }
    }

    @Test func otherExtensionsHaveNoCaptureTime() {
        let element = Array(0x11...0x18) as [UInt8]
        let none: [Header] = [
            Self.header([0x67] + element + [0, 0, 0]), Self.header([0x57] + element + [0, 0, 0], profile: 0x1000),
            Self.header([]), Self.header([0x57, 1, 2, 3]), Self.header([0x53, 1, 2, 3, 4, 0, 0, 0]),
            Self.header([0xF0, 1, 0x57] + element + [0]),
        ]
        for header in none { #expect(AbsoluteCaptureTime.time(in: header, identifier: 5) == nil) }
    }

    @Test func gsoBatchesWithCaptureTimesFitAnIPv4Datagram() throws {
        for packetBytes in 64...1500 {
            let run = try #require(
                packager(maximumPacketBytes: packetBytes).package(accessUnit([[UInt8](repeating: 0x41, count: 80_000)]))
            )
            for gsoBatch in run.gsoBatches {
                let byteCount = gsoBatch.reduce(0) {
                    $0 + HeaderRewriter.Headers.maximumByteCount + Int(run.packets[$1].byteCount)
                }
                #expect(byteCount <= 65_507, "\(packetBytes)")
            }
        }
    }
}
