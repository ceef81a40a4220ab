import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct CompoundTests {
    static let block = ReportBlock(
        ssrc: SSRC(7), fractionLost: 255, cumulativeLost: -0x80_0000, extendedHighestSequenceNumber: .max, jitter: 9,
        lastSenderReport: 0x1234_5678, delaySinceLastSenderReport: 65_536)

    static let senderReport = SenderReport(
        ssrc: SSRC(1), ntpTime: NTPTime(rawValue: 0xE000_0001_8000_0000), rtpTimestamp: .max, packetCount: 3,
        octetCount: 4, blocks: [block, block])

    static let compounds: [Compound] = [
        Compound(report: senderReport, canonicalName: "apus"),
        Compound(
            report: senderReport, canonicalName: "a", goodbye: Goodbye(sources: [SSRC(1), SSRC(2)], reason: "teardown")),
        Compound(report: ReceiverReport(ssrc: SSRC(5)), canonicalName: ""),
        Compound(
            report: ReceiverReport(ssrc: SSRC(5), blocks: [block]), canonicalName: "abc",
            feedback: [
                Feedback(sender: SSRC(5), request: .pictureLossIndication(media: SSRC(1))),
                Feedback(
                    sender: SSRC(5),
                    request: .genericNACK(
                        media: SSRC(1),
                        [.init(first: SequenceNumber(65_535), following: 0x8001), .init(first: SequenceNumber(9))])),
                Feedback(sender: SSRC(5), request: .fullIntraRequest([.init(ssrc: SSRC(1), number: 200)])),
                Feedback(
                    sender: SSRC(5),
                    request: .transportWide(
                        media: SSRC(1),
                        TransportFeedback(
                            base: SequenceNumber(65_530),
                            arrivals: [-500_000, nil, 250_000, 99_750_000, 90_000_000, nil, nil, nil, 91_000_000],
                            count: 255))),
                Feedback(
                    sender: SSRC(5),
                    request: .bitrateLimit(BitrateLimit(bitsPerSecond: 2_500_000, sources: [SSRC(1), SSRC(2)]))),
            ], goodbye: Goodbye(sources: [])),
        Compound([
            .receiverReport(ReceiverReport(ssrc: SSRC(5))),
            .extendedReport(
                ExtendedReport(
                    ssrc: SSRC(5),
                    blocks: [
                        .receiverReferenceTime(NTPTime(rawValue: 0xE000_0001_8000_0000)),
                        .delays([
                            .init(ssrc: SSRC(1), lastReceiverReport: 7, delay: 65_536),
                            .init(ssrc: SSRC(2), lastReceiverReport: 0, delay: 0),
                        ]),
                    ])),
        ]),
        Compound([
            .receiverReport(ReceiverReport(ssrc: SSRC(5))),
            .sourceDescription(
                SourceDescription(chunks: [
                    .init(ssrc: SSRC(1), items: []),
                    .init(ssrc: SSRC(2), items: [.init(kind: 1, text: [65]), .init(kind: 6, text: [66, 67])]),
                ])),
        ]),
    ]

    @Test(arguments: compounds)
    func aWrittenCompoundIsParsed(compound: Compound) throws {
        let datagram = compound.encoded()
        #expect(datagram.count % 4 == 0)
        #expect(try Compound(parsing: datagram) == compound)
    }

    @Test(arguments: compounds)
    func aTruncatedDatagramIsRejectedUnlessCutBetweenPackets(compound: Compound) {
        let datagram = compound.encoded()
        var ends: [Int] = []
        for end in 0..<datagram.count {
            do {
                let parsed = try Compound(parsing: [UInt8](datagram[..<end]))
                #expect(parsed.packets == Array(compound.packets.prefix(parsed.packets.count)))
                ends.append(end)
            } catch {
                #expect([.tooShort, .lengthBeyondEnd].contains(error))
            }
        }
        #expect(ends.count == compound.packets.count - 1)
    }

    @Test(arguments: compounds)
    func trailingBytesAreRejected(compound: Compound) {
        for count in 1...3 {
            #expect(throws: Compound.ParseError.tooShort) {
                try Compound(parsing: (compound.encoded() + [UInt8](repeating: 0x80, count: count)))
            }
        }
    }

    @Test(
        arguments: [
            ([], .tooShort),
            ([0x40, 201, 0, 1, 0, 0, 0, 1], .wrongVersion),
            ([0x81, 202, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0], .reportIsNotFirst),
            ([0x80, 199, 0, 1, 0, 0, 0, 1], .wrongPacketType),
            ([0x80, 208, 0, 1, 0, 0, 0, 1], .wrongPacketType),
            ([0x80, 201, 0, 2, 0, 0, 0, 1], .lengthBeyondEnd),
            ([0x81, 201, 0, 1, 0, 0, 0, 1], .malformed(packetType: 201)),
            ([0x80, 200, 0, 1, 0, 0, 0, 1], .malformed(packetType: 200)),
            ([0x80, 201, 0, 0], .malformed(packetType: 201)),
            ([0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 12], .badPadding),
            ([0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3], .badPadding),
            ([0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0x80, 203, 0, 0], .badPadding),
        ] as [([UInt8], Compound.ParseError)])
    func aDamagedDatagramIsRejectedWithAReason(datagram: [UInt8], damage: Compound.ParseError) {
        #expect(throws: damage) { try Compound(parsing: datagram) }
    }

    /// Descriptions without a zero byte at the end or with wrong lengths, and others that do not fit their lengths.
    @Test(
        arguments: [
            [0x81, 202, 0, 2, 0, 0, 0, 1, 1, 9, 65, 0], [0x81, 202, 0, 1, 0, 0, 0, 1], [0x81, 203, 0, 0],
            [0x80, 203, 0, 1, 9, 65, 66, 67], [0x81, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2],
        ] as [[UInt8]])
    func aMalformedPacketAfterAReportIsSkipped(packet: [UInt8]) throws {
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 5]
        let goodbye: [UInt8] = [0x81, 203, 0, 1, 0, 0, 0, 5]
        let packets = try Compound(parsing: report + packet + goodbye).packets
        #expect(
            packets == [.receiverReport(ReceiverReport(ssrc: SSRC(5))), .goodbye(Goodbye(sources: [SSRC(5)]))])
    }

    @Test func aDescriptionWithoutAZeroByteAtItsEndIsRead() throws {
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 5]
        let description: [UInt8] = [0x81, 202, 0, 2, 0, 0, 0, 5, 1, 2, 65, 66]
        let packets = try Compound(parsing: report + description).packets
        #expect(packets.count == 2)
        #expect(packets.last == .sourceDescription(SourceDescription(ssrc: SSRC(5), canonicalName: "AB")))
    }

    /// RFC 5506: feedback, or a description, may come without a report.
    @Test func aPacketInReducedSizeIsRead() throws {
        let description = ControlPacket.sourceDescription(SourceDescription(ssrc: SSRC(5), canonicalName: "AB"))
        let datagram = Compound([description]).encoded()
        #expect(try Compound(parsing: datagram.rawSpan, allowsReducedSize: true).packets == [description])
        #expect(throws: Compound.ParseError.reportIsNotFirst) { try Compound(parsing: datagram) }
    }

    @Test func unknownPacketsAndPaddingAreSkipped() throws {
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 5]
        let applicationDefined: [UInt8] = [0x80, 204, 0, 2, 0, 0, 0, 5, 65, 66, 67, 68]
        let bitrateEstimate: [UInt8] = [0x8F, 206, 0, 3, 0, 0, 0, 5, 0, 0, 0, 0, 82, 69, 77, 66]
        let padded: [UInt8] = [0xA0, 203, 0, 1, 0, 0, 0, 4]
        let datagram = report + applicationDefined + bitrateEstimate + padded
        let packets = try Compound(parsing: datagram).packets
        #expect(packets == [.receiverReport(ReceiverReport(ssrc: SSRC(5))), .goodbye(Goodbye(sources: []))])
    }

    @Test func damagedInputNeverTraps() {
        var random = SplitMix64(seed: 41)
        var accepted = 0
        for round in 0..<20_000 {
            var datagram = Self.compounds[round % Self.compounds.count].encoded()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                datagram[Int.random(in: 0..<datagram.count, using: &random)] ^=
                    1 << UInt8.random(in: 0...7, using: &random)
            }
            // Rejection is as good a result as a value here; only a trap is wrong.
            // Of unknown packets, nothing is kept that could be written.
            guard let compound = try? Compound(parsing: datagram), !compound.packets.isEmpty else { continue }
            accepted += 1
            // A parsed value can be written, and parsing that gives the same value.
            #expect((try? Compound(parsing: compound.encoded())) == compound, "\(datagram)")
        }
        #expect(accepted > 1000)
    }

    @Test func aNACKListsAllMissingPackets() {
        let lost = Feedback.LostPackets(first: SequenceNumber(65_534), following: 0x8003)
        #expect(lost.sequenceNumbers.map(\.rawValue) == [65_534, 65_535, 0, 14])
    }

    @Test func theRoundTripExcludesTheReceiversDelay() {
        var block = Self.block
        let sent = NTPTime(rawValue: 100 << 32)
        block.lastSenderReport = sent.middle
        block.delaySinceLastSenderReport = 65_536
        #expect(block.roundTripNanoseconds(now: NTPTime(rawValue: 101 << 32 | 0x8000_0000)) == 500_000_000)
        #expect(block.roundTripNanoseconds(now: NTPTime(rawValue: 100 << 32)) == nil)
        block.lastSenderReport = 0
        #expect(block.roundTripNanoseconds(now: sent) == nil)
    }

    @Test func aCanonicalNameIsFound() {
        let description = SourceDescription(ssrc: SSRC(1), canonicalName: "søver@host")
        #expect(description.canonicalName(of: SSRC(1)) == "søver@host")
        #expect(description.canonicalName(of: SSRC(2)) == nil)
    }
}
