import Media
import RTP
import Testing
import Wire

/// RFC 3611.
@Suite struct ExtendedReportTests {
    /// As Chromium sends it: reduced size, with the time of the receiver alone.
    @Test func theTimeOfAReceiverIsRead() throws {
        let datagram: [UInt8] = [
            0x80, 207, 0, 4, 0, 0, 0, 9, 4, 0, 0, 2, 0xE0, 0, 0, 1, 0x80, 0, 0, 0,
        ]
        let compound = try Compound(parsing: datagram.rawSpan, allowsReducedSize: true)
        guard case .extendedReport(let report)? = compound.packets.first else {
            Issue.record("no extended report")
            return
        }
        #expect(report.ssrc == SSRC(9))
        #expect(report.receiverReferenceTime == NTPTime(rawValue: 0xE000_0001_8000_0000))
        #expect(compound.encoded() == datagram)
    }

    /// The receiver computes its round trip from the answer, as a sender does from a report block (section 4.5).
    @Test func theAnswerTellsTheTimeAndItsDelay() {
        let time = NTPTime(rawValue: 0xE000_0001_8000_0000)
        let answer = ExtendedReport.answer(to: time, of: SSRC(9), from: SSRC(1), delayNanoseconds: 250_000_000)
        #expect(
            answer
                == ExtendedReport(
                    ssrc: SSRC(1),
                    blocks: [.delays([.init(ssrc: SSRC(9), lastReceiverReport: 0x0001_8000, delay: 16_384)])]))
        let late = ExtendedReport.answer(to: time, of: SSRC(9), from: SSRC(1), delayNanoseconds: .max)
        guard case .delays(let delays)? = late.blocks.first else {
            Issue.record("no delays")
            return
        }
        #expect(delays.first?.delay == 65_535 << 16)
        #expect(ExtendedReport.answer(to: time, of: SSRC(9), from: SSRC(1), delayNanoseconds: -1).blocks.count == 1)
    }

    @Test func otherBlocksAreSkipped() throws {
        // A block of type 7 (VoIP metrics) of one word, then the receiver's time.
        let datagram: [UInt8] = [
            0x80, 207, 0, 6, 0, 0, 0, 9, 7, 0, 0, 1, 1, 2, 3, 4, 4, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0,
        ]
        let compound = try Compound(parsing: datagram.rawSpan, allowsReducedSize: true)
        #expect(
            compound.packets == [
                .extendedReport(
                    ExtendedReport(ssrc: SSRC(9), blocks: [.receiverReferenceTime(NTPTime(rawValue: 1 << 32))]))
            ])
    }

    @Test(
        arguments: [
            // No source, a block that exceeds the packet, a time of one word, delays that are no multiple of three words.
            [0x80, 207, 0, 0], [0x80, 207, 0, 2, 0, 0, 0, 9, 4, 0, 0, 2],
            [0x80, 207, 0, 3, 0, 0, 0, 9, 4, 0, 0, 1, 0, 0, 0, 1],
            [0x80, 207, 0, 3, 0, 0, 0, 9, 5, 0, 0, 1, 0, 0, 0, 1],
        ] as [[UInt8]])
    func malformedReportsAreRefused(datagram: [UInt8]) {
        #expect(throws: Compound.ParseError.malformed(packetType: 207)) {
            try Compound(parsing: datagram.rawSpan, allowsReducedSize: true)
        }
    }
}
