import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct AudioPayloadTests {
    private static let g711 = G711(.a, sampleRate: .audio48k, channelCount: 2)!

    private func datagrams(
        _ blocks: [[UInt8]], _ format: Track.Format, packetBytes: Int = 1400
    ) -> [[UInt8]] {
        let packager = RTPPackager(
            tracks: [Track(id: TrackID(0), format: format)], options: .init(maximumPacketBytes: packetBytes))
        var rewriter = HeaderRewriter.forTests()
        return blocks.enumerated().flatMap { index, block in
            packager.package(accessUnit([block], ticks: Int64(index) * 960))?.datagrams(&rewriter) ?? []
        }
    }

    private func received(_ datagrams: [[UInt8]], _ depacketizer: AudioDepacketizer) -> [ReceivedUnit] {
        var depacketizer = depacketizer
        var units: [ReceivedUnit] = []
        for datagram in datagrams {
            guard let (header, payload) = Header.parse(datagram.rawSpan) else { continue }
            #expect(!header.isMarked)
            depacketizer.push(datagram.rawSpan.extracting(payload), header: header)
            while let unit = depacketizer.next() { units.append(unit) }
        }
        #expect(depacketizer.counts == DepacketizerCounts())
        return units
    }

    @Test(arguments: [64, 576, 1400, 9000])
    func depacketizingReversesPacketizing(packetBytes: Int) {
        var random = SplitMix64(seed: 31)
        let blocks = (0..<50).map { _ in
            // One frame of 20 ms of CELT.
            [0xF8] + random.bytes(Int.random(in: 0...(packetBytes - 13), using: &random))
        }
        let opus = received(datagrams(blocks, .opus(channelCount: 2), packetBytes: packetBytes), AudioDepacketizer())
        #expect(opus.map(\.contents) == blocks.map { [$0] })
        let samples = blocks.map { Array($0.prefix(min($0.count, 480) / 2 * 2)) }.filter { !$0.isEmpty }
        let telephony = received(
            datagrams(samples, .g711(Self.g711), packetBytes: packetBytes), AudioDepacketizer(Self.g711))
        #expect(telephony.map(\.contents) == samples.map { [$0] })
    }

    /// There are no fragments in these formats.
    @Test func aUnitLongerThanAPacketIsNotSent() {
        #expect(datagrams([[0xF8] + [UInt8](repeating: 1, count: 1_388)], .opus(channelCount: 2)).isEmpty)
    }

    @Test func longPacketsOfG711BecomeSeveralUnits() {
        var depacketizer = AudioDepacketizer(Self.g711)
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        depacketizer.push(bytes, number: 1)
        var units: [ReceivedUnit] = []
        while let unit = depacketizer.next() { units.append(unit) }
        #expect(units.map(\.bytes.count) == [480, 480, 40])
        #expect(units.flatMap(\.bytes) == bytes)
        #expect(units.map(\.rtpTimestamp) == [0, 240, 480])
    }

    @Test func packetsOfL16AndG722AreWholeUnits() {
        for (format, bytes, malformed) in [
            (.l16(sampleRate: .audio48k, channelCount: 2), [UInt8](1...24), [UInt8](1...6)), (.g722, [1, 2, 3], []),
        ] as [(TranscodedFormat.Audio, [UInt8], [UInt8])] {
            var depacketizer = AudioDepacketizer(format)
            depacketizer.push(bytes, number: 1)
            depacketizer.push(malformed, number: 2)
            var units: [ReceivedUnit] = []
            while let unit = depacketizer.next() { units.append(unit) }
            #expect(units.map(\.bytes) == [bytes])
            #expect(depacketizer.counts.malformedPackets == 1)
        }
    }

    @Test func malformedPacketsAreCounted() {
        var opus = AudioDepacketizer()
        // Nothing, an unknown number of frames, none, and more than 120 ms.
        for (number, payload) in ([[], [0x03], [0x03, 0], [0xFB, 63]] as [[UInt8]]).enumerated() {
            opus.push(payload, number: UInt16(number))
        }
        #expect(opus.counts.malformedPackets == 4)
        var g711 = AudioDepacketizer(Self.g711)
        g711.push([1, 2, 3], number: 1)
        #expect(g711.counts.malformedPackets == 1)
        g711.push([1, 2], number: 4)
        #expect(g711.counts.lostPackets == 2)
    }

    @Test(
        arguments: [
            ([0x00], 480), ([0x08], 960), ([0x18], 2_880), ([0x60], 480), ([0x78], 960), ([0x80], 120), ([0xF8], 960),
            ([0xF9], 1_920), ([0xFA], 1_920), ([0xFB, 0x86], 5_760), ([0xFB, 7], nil), ([0x1B, 3], nil), ([], nil),
        ] as [([UInt8], Int?)])
    func theFirstBytesOfAnOpusPacketGiveItsDuration(packet: [UInt8], samples: Int?) {
        #expect(Opus.sampleCount(of: packet) == samples)
    }
}

extension AudioDepacketizer {
    fileprivate mutating func push(_ payload: [UInt8], number: UInt16) {
        push(
            payload.rawSpan,
            header: Header(
                payloadType: PayloadType(lowBitsOf: 96), isMarked: false, sequenceNumber: SequenceNumber(number),
                timestamp: 0, ssrc: SSRC(1)))
    }
}
