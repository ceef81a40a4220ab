import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct AACPayloadTests {
    private func header(_ number: UInt16, timestamp: UInt32 = 0) -> Header {
        Header(
            payloadType: PayloadType(lowBitsOf: 97), isMarked: true, sequenceNumber: SequenceNumber(number),
            timestamp: timestamp, ssrc: SSRC(1))
    }

    @Test(arguments: [64, 100, 576, 1400, 9000])
    func depacketizingReversesPacketizing(packetBytes: Int) throws {
        var random = SplitMix64(seed: 21)
        let packager = packager(maximumPacketBytes: packetBytes)
        var rewriter = HeaderRewriter.forTests()
        var depacketizer = AACDepacketizer()
        for byteCount in [1, 2, 47, 48, 49, 96, 371, 1383, 1384, 1385, 2768, 2769, 8191] {
            let block = random.bytes(byteCount)
            let run = try #require(packager.package(accessUnit([block], track: 1)))
            #expect(run.packets.map(\.isMarked) == run.packets.indices.map { $0 == run.packets.count - 1 })
            #expect(run.gsoBatches.count == (run.packets.count + 63) / 64)
            for datagram in run.datagrams(&rewriter) {
                #expect(datagram.count <= packetBytes)
                depacketizer.push(datagram: datagram)
            }
            #expect(take(&depacketizer)?.contents == [block])
            #expect(take(&depacketizer) == nil)
        }
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    @Test func anAccessUnitFollowsItsSize() throws {
        let run = try #require(packager().package(accessUnit([[1, 2, 3]], track: 1)))
        #expect(run.payloads == [[0, 16, 0, 3 << 3, 1, 2, 3]])
    }

    @Test func severalBlocksShareOnePacketOrAreNotSent() throws {
        var rewriter = HeaderRewriter.forTests()
        var depacketizer = AACDepacketizer()
        let run = try #require(packager().package(accessUnit([[1, 2], [3]], track: 1, ticks: 1024)))
        #expect(run.packets.count == 1)
        for datagram in run.datagrams(&rewriter) { depacketizer.push(datagram: datagram) }
        let units = [take(&depacketizer), take(&depacketizer)].compactMap { $0 }
        #expect(units.map(\.contents) == [[[1, 2]], [[3]]])
        #expect(units.map { $0.rtpTimestamp &- rewriter.timestampOffset } == [1024, 2048])
        let long = [UInt8](repeating: 0, count: 1000)
        #expect(packager().package(accessUnit([long, long], track: 1)) == nil)
    }

    @Test func anAccessUnitBeyondThirteenBitsIsNotSent() {
        #expect(packager().package(accessUnit([[UInt8](repeating: 0, count: 8192)], track: 1)) == nil)
    }

    @Test func aLostFragmentLosesOnlyItsAccessUnit() throws {
        var random = SplitMix64(seed: 22)
        let (long, short) = (random.bytes(5000), random.bytes(100))
        for lost in 0..<4 {
            var rewriter = HeaderRewriter.forTests()
            var depacketizer = AACDepacketizer()
            var datagrams = try #require(packager().package(accessUnit([long], track: 1))).datagrams(&rewriter)
            #expect(datagrams.count == 4)
            datagrams.remove(at: lost)
            datagrams += try #require(packager().package(accessUnit([short], track: 1, ticks: 4024)))
                .datagrams(&rewriter)
            for datagram in datagrams { depacketizer.push(datagram: datagram) }
            #expect(take(&depacketizer)?.contents == [short])
            #expect(take(&depacketizer) == nil)
            #expect(depacketizer.counts.brokenUnits > 0)
        }
    }

    @Test(
        arguments: [
            [],
            [0],
            [0, 0],
            [0, 16],
            [0, 16, 0],
            [0, 15, 0, 8, 1],
            [0, 16, 0, 0],
            [0, 16, 0, 8],
            [0, 16, 0, 9, 1],
            [0, 32, 0, 8, 0, 9, 1, 2],
            [0, 32, 0, 8, 0, 16, 1, 2],
            [255, 255, 0, 8, 1],
        ] as [[UInt8]])
    func aMalformedPacketIsCountedAndOthersAreKept(payload: [UInt8]) {
        var depacketizer = AACDepacketizer()
        depacketizer.push(([0, 16, 0, 8, 1] as [UInt8]).rawSpan, header: header(1))
        depacketizer.push(payload.rawSpan, header: header(2, timestamp: 1024))
        depacketizer.push(([0, 16, 0, 8, 2] as [UInt8]).rawSpan, header: header(3, timestamp: 2048))
        #expect(take(&depacketizer)?.contents == [[1]])
        #expect(take(&depacketizer)?.contents == [[2]])
        #expect(take(&depacketizer) == nil)
        #expect(depacketizer.counts.malformedPackets == 1)
    }

    /// Some cameras send an ADTS header before each unit, which is not part of it.
    @Test func aUnitWithAnADTSHeaderIsReadWithoutIt() {
        var depacketizer = AACDepacketizer()
        let (unit, header): ([UInt8], [UInt8]) = ([0x21, 7, 8], [0xFF, 0xF1, 0x4C, 0x80, 0x01, 0x5F, 0xFC])
        depacketizer.push(([0, 16, 0, 10 << 3] + header + unit).rawSpan, header: self.header(1))
        #expect(take(&depacketizer)?.contents == [unit])
        // A frame of another length is no header's.
        depacketizer.push(([0, 16, 0, 9 << 3] + header + unit.dropLast()).rawSpan, header: self.header(2))
        #expect(take(&depacketizer)?.contents == [header + unit.dropLast()])
    }

    @Test func theLowBitRateLayoutIsParsed() {
        var depacketizer = AACDepacketizer(layout: .lowBitRate)
        depacketizer.push(([0, 16, 1 << 2, 2 << 2, 7, 8, 9] as [UInt8]).rawSpan, header: header(1))
        #expect(take(&depacketizer)?.contents == [[7]])
        #expect(take(&depacketizer)?.contents == [[8, 9]])
    }

    @Test(arguments: [
        (13, 3, 3, true), (6, 2, 2, true), (16, 0, 0, true), (0, 3, 3, false), (17, 3, 3, false), (13, 9, 3, false),
        (13, 3, -1, false),
    ])
    func layoutsOfNoAudioModeAreRejected(size: Int, index: Int, delta: Int, isAccepted: Bool) {
        let layout = AUHeaderLayout(sizeLength: size, indexLength: index, indexDeltaLength: delta)
        #expect((layout != nil) == isAccepted)
    }

    @Test func damagedInputNeverTraps() {
        var random = SplitMix64(seed: 23)
        var depacketizer = AACDepacketizer()
        var number: UInt16 = 65_000
        for _ in 0..<20_000 {
            number &+= UInt16.random(in: 0...2, using: &random)
            var payload = random.bytes(Int.random(in: 0...30, using: &random))
            if payload.count > 4, Bool.random(using: &random) { payload.replaceSubrange(0..<4, with: [0, 16, 0, 80]) }
            depacketizer.push(payload.rawSpan, header: header(number, timestamp: UInt32(number / 4)))
            while let unit = depacketizer.next() { #expect(!unit.bytes.isEmpty) }
        }
        #expect(depacketizer.counts.malformedPackets > 1000)
        #expect(depacketizer.counts.lostPackets > 1000)
    }
}
