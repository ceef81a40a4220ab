import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct H264DepacketizerTests {
    private func header(_ number: UInt16, timestamp: UInt32 = 0, isMarked: Bool = false) -> Header {
        Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: isMarked, sequenceNumber: SequenceNumber(number),
            timestamp: timestamp, ssrc: SSRC(1))
    }

    @Test func aLostPacketLosesOnlyItsNALUnit() throws {
        var random = SplitMix64(seed: 11)
        let units = randomNALUnits([(1, 40), (1, 5000), (1, 50)], using: &random)
        let next = randomNALUnits([(1, 60)], using: &random)
        let packager = packager()
        let count = try #require(packager.package(accessUnit(units))).packets.count
        #expect(count == 6)
        for lost in 1..<(count - 1) {
            var rewriter = HeaderRewriter.forTests()
            var depacketizer = H264Depacketizer()
            var datagrams = try #require(packager.package(accessUnit(units))).datagrams(&rewriter)
            datagrams.remove(at: lost)
            datagrams += try #require(packager.package(accessUnit(next, ticks: 6000))).datagrams(&rewriter)
            for datagram in datagrams { depacketizer.push(datagram: datagram) }
            let damaged = try #require(take(&depacketizer))
            #expect(damaged.contents == [units[0], units[2]])
            #expect(!damaged.isComplete)
            let whole = try #require(take(&depacketizer))
            #expect(whole.contents == next && whole.isComplete)
            #expect(depacketizer.counts.lostPackets == 1)
        }
    }

    @Test func aLostMarkerEndsTheUnitAtTheNextTimestamp() {
        var depacketizer = H264Depacketizer()
        depacketizer.push(([0x41, 1] as [UInt8]).rawSpan, header: header(1, timestamp: 10))
        depacketizer.push(([0x41, 2] as [UInt8]).rawSpan, header: header(3, timestamp: 20, isMarked: true))
        let units = [take(&depacketizer), take(&depacketizer)]
        #expect(units.map { $0?.contents } == [[[0x41, 1]], [[0x41, 2]]])
        // The missing packet may belong to either of the two units.
        #expect(units.map { $0?.isComplete } == [false, false])
    }

    @Test func aUnitWithoutMarkerIsReturnedByFlush() {
        var depacketizer = H264Depacketizer()
        depacketizer.push(([0x41, 1] as [UInt8]).rawSpan, header: header(1))
        #expect(take(&depacketizer) == nil)
        depacketizer.flush()
        #expect(take(&depacketizer)?.contents == [[0x41, 1]])
    }

    @Test func aPacketThatComesTwiceCountsOnce() {
        var depacketizer = H264Depacketizer()
        for number in [1, 2, 2, 1, 3] as [UInt16] {
            depacketizer.push(
                ([0x41, UInt8(number)] as [UInt8]).rawSpan, header: header(number, isMarked: number == 3))
        }
        #expect(take(&depacketizer)?.contents == [[0x41, 1], [0x41, 2], [0x41, 3]])
        #expect(depacketizer.counts.latePackets == 2)
    }

    @Test func aFragmentWithStartAndEndBitIsAWholeUnit() {
        var depacketizer = H264Depacketizer()
        depacketizer.push(([0x7C, 0xC5, 9] as [UInt8]).rawSpan, header: header(1, isMarked: true))
        #expect(take(&depacketizer)?.contents == [[0x65, 9]])
    }

    /// What devices send that is not allowed, or unusual, and means the same as one slice.
    @Test(
        arguments: [
            [[0x65, 9, 8, 7]],
            // Empty fragments, at the start, inside and at the end.
            [[0x7C, 0x85], [0x7C, 0x05, 9], [0x7C, 0x05], [0x7C, 0x05, 8, 7], [0x7C, 0x45]],
            // The type changes.
            [[0x7C, 0x85, 9, 8], [0x7C, 0x41, 7]],
            [[0x7C, 0x85, 9, 8], [0x7C, 0x58, 7]],
            // Zeros after the NAL unit of an aggregate.
            [[0x18, 0, 4, 0x65, 9, 8, 7, 0]],
            [[0x18, 0, 4, 0x65, 9, 8, 7, 0, 0, 0]],
            // Start codes before the NAL unit.
            [[0, 0, 0, 1, 0x65, 9, 8, 7]],
            [[0x18, 0, 7, 0, 0, 1, 0x65, 9, 8, 7]],
        ] as [[[UInt8]]])
    func whatDevicesSendIsUnderstood(payloads: [[UInt8]]) {
        var depacketizer = H264Depacketizer()
        for (number, payload) in payloads.enumerated() {
            depacketizer.push(
                payload.rawSpan, header: header(UInt16(number), isMarked: number == payloads.count - 1))
        }
        let unit = take(&depacketizer)
        #expect(unit?.contents == [[0x65, 9, 8, 7]])
        #expect(unit?.isComplete == true)
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    /// Whole access units with start codes, in one packet or fragmented.
    @Test(
        arguments: [
            [[0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 0, 1, 0x65, 3]],
            [[0x7C, 0x87, 1, 0, 0], [0x7C, 0x07, 0, 1, 0x68, 2, 0, 0, 1, 0x65], [0x7C, 0x47, 3]],
            [[0x18, 0, 8, 0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 2, 0x65, 3]],
        ] as [[[UInt8]]])
    func startCodesSeparateNALUnits(payloads: [[UInt8]]) {
        var depacketizer = H264Depacketizer()
        for (number, payload) in payloads.enumerated() {
            depacketizer.push(
                payload.rawSpan, header: header(UInt16(number), isMarked: number == payloads.count - 1))
        }
        #expect(take(&depacketizer)?.contents == [[0x67, 1], [0x68, 2], [0x65, 3]])
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    /// Markers on SEI or parameter sets, and timestamps of their own, do not end a unit.
    @Test func aUnitEndsWithItsSlices() {
        var depacketizer = H264Depacketizer()
        let packets: [(bytes: [UInt8], timestamp: UInt32, isMarked: Bool)] = [
            ([0x67, 1], 1, true), ([0x68, 2], 2, false), ([0x06, 3], 3, true), ([0x65, 4], 3, true),
            ([0x06, 5], 4, true), ([0x41, 6], 4, false), ([0x06, 7], 5, false), ([0x41, 8], 6, true),
        ]
        for (number, packet) in packets.enumerated() {
            depacketizer.push(
                packet.bytes.rawSpan,
                header: header(UInt16(number), timestamp: packet.timestamp, isMarked: packet.isMarked))
        }
        let units = [take(&depacketizer), take(&depacketizer), take(&depacketizer)]
        #expect(
            units.map { $0?.contents } == [
                [[0x67, 1], [0x68, 2], [0x06, 3], [0x65, 4]], [[0x06, 5], [0x41, 6]], [[0x06, 7], [0x41, 8]],
            ])
        #expect(units.map { $0?.rtpTimestamp } == [3, 4, 6])
        #expect(units.allSatisfy { $0?.isComplete == true })
    }

    /// A stream without slices takes little memory, and the first slice is received.
    @Test func unitsWithoutSlicesAreBounded() {
        var depacketizer = H264Depacketizer()
        let information = [0x06] + [UInt8](repeating: 1, count: 1_000)
        for number in 0..<20_000 as Range<UInt16> {
            depacketizer.push(information.rawSpan, header: header(number, timestamp: UInt32(number), isMarked: true))
            #expect(take(&depacketizer) == nil)
        }
        depacketizer.push(([0x65, 4] as [UInt8]).rawSpan, header: header(20_000, timestamp: 20_000, isMarked: true))
        let unit = take(&depacketizer)
        #expect(unit?.contents.last == [0x65, 4])
        #expect((unit?.bytes.count ?? .max) < 70_000)
    }

    @Test(
        arguments: [
            [0x00, 1],
            [0x18],
            [0x18, 0],
            [0x18, 0, 0],
            [0x18, 0, 2, 0x67],
            [0x18, 0, 1, 0x67, 0, 0, 1],
            [0x18, 0, 2, 0x1C, 0],
            [0x19, 0, 0, 0, 1, 0x41],
            [0x1C],
            [0x7C, 0x98, 1],
            [0x1D, 0x85, 0, 0, 1],
            [0x1E, 1],
            [0x1F, 1],
        ] as [[UInt8]])
    func aMalformedPacketIsCountedAndOthersAreKept(payload: [UInt8]) {
        var depacketizer = H264Depacketizer()
        depacketizer.push(([0x41, 1] as [UInt8]).rawSpan, header: header(1))
        depacketizer.push(payload.rawSpan, header: header(2))
        depacketizer.push(([0x41, 2] as [UInt8]).rawSpan, header: header(3, isMarked: true))
        let unit = take(&depacketizer)
        #expect(unit?.contents == [[0x41, 1], [0x41, 2]])
        #expect(unit?.isComplete == false)
        #expect(depacketizer.counts.malformedPackets == 1)
    }

    /// Browsers probe their path with packets that have padding alone.
    @Test func aPacketOfPaddingAloneDamagesNothing() {
        var depacketizer = H264Depacketizer()
        let nothing: [UInt8] = []
        depacketizer.push(([0x41, 1] as [UInt8]).rawSpan, header: header(1))
        depacketizer.push(nothing.rawSpan, header: header(2))
        depacketizer.push(([0x41, 2] as [UInt8]).rawSpan, header: header(3, isMarked: true))
        let unit = take(&depacketizer)
        #expect(unit?.contents == [[0x41, 1], [0x41, 2]] && unit?.isComplete == true)
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    @Test func aUnitWithoutEndIsBounded() throws {
        var depacketizer = H264Depacketizer()
        let fragment = [0x7C, 0x05] + [UInt8](repeating: 1, count: 60_000)
        depacketizer.push(([0x7C, 0x85, 0] as [UInt8]).rawSpan, header: header(0))
        for number in 1...300 as ClosedRange<UInt16> {
            depacketizer.push(fragment.rawSpan, header: header(number))
        }
        depacketizer.push(([0x41, 2] as [UInt8]).rawSpan, header: header(301, isMarked: true))
        let unit = try #require(take(&depacketizer))
        #expect(unit.contents == [[0x41, 2]])
        #expect(depacketizer.counts.malformedPackets > 0)
    }

    @Test func damagedInputNeverTrapsAndUnitsStayInsideTheirBytes() {
        var random = SplitMix64(seed: 12)
        var depacketizer = H264Depacketizer()
        var number: UInt16 = 65_000
        var unitCount = 0
        for _ in 0..<20_000 {
            number &+= UInt16.random(in: 0...2, using: &random)
            var payload = random.bytes(Int.random(in: 0...40, using: &random))
            if !payload.isEmpty, Bool.random(using: &random) {
                payload[0] = [0x18, 0x7C, 0x41].randomElement(using: &random) ?? 0
            }
            let isMarked = UInt8.random(in: 0...5, using: &random) == 0
            depacketizer.push(
                payload.rawSpan, header: header(number, timestamp: UInt32(number / 8), isMarked: isMarked))
            while let unit = depacketizer.next() {
                unitCount += 1
                #expect(!unit.units.isEmpty)
                #expect(unit.units.allSatisfy { !$0.isEmpty && $0.upperBound <= unit.bytes.count })
                #expect(unit.units.reduce(0) { $0 + $1.count } == unit.bytes.count)
            }
        }
        #expect(unitCount > 1000)
        #expect(depacketizer.counts.malformedPackets > 1000)
    }
}
