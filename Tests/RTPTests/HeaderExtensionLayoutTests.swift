import Media
import Testing

@testable import RTP

@Suite struct HeaderExtensionLayoutTests {
    @Test func identifiersAndNamesAreUniqueAndFitTheOneByteForm() {
        let all = HeaderExtension.allCases
        #expect(Set(all.map(\.uri)).count == all.count)
        for each in all {
            #expect((1...14).contains(each.identifier))
            #expect((1...8).contains(HeaderExtensionLayout.longest.valueByteCount(of: each)))
        }
        #expect(HeaderExtensionLayout.longest.extensions == all)
        #expect(
            HeaderExtensionLayout.longest.byteCount <= HeaderRewriter.Headers.maximumByteCount - Header.fixedByteCount)
    }

    @Test func aClientsIdentifiersAreUsed() throws {
        let layout = HeaderExtensionLayout(
            [.mediaIdentification: 9, .playoutDelay: 14, .transportSequenceNumber: 4, .absoluteCaptureTime: 15],
            playoutDelay: 0x00A0_14, mediaIdentification: "v1")
        #expect(layout.extensions == [.transportSequenceNumber, .playoutDelay, .mediaIdentification])
        let rewriter = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 96), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(0x0102),
            timestampOffset: 0, extensions: layout)
        let run = try #require(packager().package(accessUnit([[0x65, 1, 2, 3]])))
        let bytes = rewriter.headers(of: run, ticks: 0).bytes(ofPacket: 0, isMarked: true)
        let (header, _) = try #require(Header.parse(bytes))
        #expect(
            header.headerExtension?.data
                == [0x41, 1, 2, 0xE2, 0, 0xA0, 0x14, 0x91, UInt8(ascii: "v"), UInt8(ascii: "1"), 0, 0])
    }

    @Test func anIdentificationThatIsTooLongIsLeftOut() {
        let layout = HeaderExtensionLayout([.mediaIdentification: 1], mediaIdentification: "123456789")
        #expect(layout.byteCount == 0)
    }

    @Test func eachPacketCarriesItsOwnNumber() throws {
        let layout = HeaderExtensionLayout([.absoluteCaptureTime]).with(.transportSequenceNumber, true)
        #expect(layout.hasTransportSequenceNumber && layout.extensions.count == 2)
        #expect(!layout.with(.transportSequenceNumber, false).hasTransportSequenceNumber)
        let rewriter = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 96), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(65_535),
            timestampOffset: 0, extensions: layout)
        var unit = accessUnit([[UInt8](repeating: 0x41, count: 3_000)])
        unit.captured = NTPTime(rawValue: 0x1122_3344_5566_7788)
        let run = try #require(packager().package(unit))
        let headers = rewriter.headers(of: run, ticks: 0)
        for index in 0..<3 {
            let (header, _) = try #require(Header.parse(headers.bytes(ofPacket: index, isMarked: false)))
            let data = try #require(header.headerExtension?.data)
            let number = header.sequenceNumber.rawValue
            #expect(Array(data[9..<12]) == [0x21, UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
            #expect(AbsoluteCaptureTime.time(in: header, identifier: 1) == NTPTime(rawValue: 0x1122_3344_5566_7788))
        }
    }

    @Test func aLayoutWithoutExtensionsAddsNothing() {
        #expect(HeaderExtensionLayout.none.byteCount == 0)
        #expect(HeaderExtensionLayout.none.extensions.isEmpty)
    }

    @Test func theBytesOfABlockAreAnExtensionOfWholeWords() throws {
        var block = HeaderExtensionBlock()
        block.end()
        #expect(block.byteCount == 0)
        block.append(3, 0xAA, valueByteCount: 1)
        block.append(14, 0xBBCC, valueByteCount: 2)
        block.end()
        let bytes = (0..<block.byteCount).map { block.memory[$0] }
        #expect(bytes == [0xBE, 0xDE, 0, 2, 0x30, 0xAA, 0xE1, 0xBB, 0xCC, 0, 0, 0])
    }
}
