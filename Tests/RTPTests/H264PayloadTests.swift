import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct H264PayloadTests {
    /// Packet sizes from the minimum to that of a jumbo frame.
    static let packetSizes = [64, 65, 90, 128, 255, 500, 576, 1000, 1200, 1399, 1400, 1452, 9000]

    static let shapes: [[(type: UInt8, byteCount: Int)]] = [
        [(9, 2), (7, 25), (8, 4), (6, 30), (5, 30_000)],
        [(6, 700), (7, 25), (8, 4), (8, 5), (6, 30), (6, 900), (5, 9000), (5, 8999), (5, 1)],
        [(7, 25), (8, 1300), (5, 70_000)],
        [(9, 2), (1, 300)],
        [(6, 40), (1, 1387), (1, 1388), (1, 1389), (1, 2776), (1, 2777)],
        [(1, 100), (1, 100), (1, 100), (1, 60), (12, 1000), (1, 3)],
        [(5, 150_000)],
        [(7, 10)],
        [(1, 1)],
    ]

    static func units(seed: UInt64) -> [[[UInt8]]] {
        var random = SplitMix64(seed: seed)
        let wild = (0..<40).map { _ in
            (0..<Int.random(in: 1...12, using: &random)).map { _ in
                (UInt8.random(in: 1...23, using: &random), Int.random(in: 1...4000, using: &random))
            }
        }
        // All NAL units that are sent: all but delimiters. A unit has a slice.
        let sent = (shapes + wild).map { shape in
            let sent = shape.filter { $0.0 != 9 }
            return sent.contains { (1...5).contains($0.0) } ? sent : sent + [(1, 30)]
        }
        return sent.map { randomNALUnits($0, using: &random) }
    }

    @Test(arguments: packetSizes)
    func depacketizingReversesPacketizing(packetBytes: Int) throws {
        let packager = packager(maximumPacketBytes: packetBytes)
        var rewriter = HeaderRewriter.forTests()
        var depacketizer = H264Depacketizer()
        for nalUnits in Self.units(seed: 7) {
            let run = try #require(packager.package(accessUnit(nalUnits)))
            for datagram in run.datagrams(&rewriter) {
                #expect(datagram.count <= packetBytes)
                depacketizer.push(datagram: datagram)
            }
            let received = try #require(take(&depacketizer))
            #expect(received.contents == nalUnits)
            #expect(received.isComplete)
            #expect(received.rtpTimestamp == UInt32(3000) &+ rewriter.timestampOffset)
            #expect(take(&depacketizer) == nil)
        }
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    @Test(arguments: packetSizes)
    func gsoBatchesCoverAllPacketsAndKeepTheirInvariants(packetBytes: Int) throws {
        let packager = packager(maximumPacketBytes: packetBytes)
        for nalUnits in Self.units(seed: 8) {
            let run = try #require(packager.package(accessUnit(nalUnits)))
            #expect(run.gsoBatches.flatMap { Array($0) } == Array(run.packets.indices))
            for gsoBatch in run.gsoBatches {
                let sizes = run.packets[gsoBatch].map { Int($0.byteCount) }
                #expect(sizes.dropLast().allSatisfy { $0 == sizes[0] })
                #expect(sizes[sizes.count - 1] <= sizes[0])
                #expect(sizes.count <= 64)
                #expect(sizes.reduce(0) { $0 + $1 + Header.fixedByteCount } <= 65_000)
            }
            #expect(run.byteCount == run.packets.reduce(0) { $0 + Int($1.byteCount) })
        }
    }

    @Test func fragmentsOfOneNALUnitAreEquallyLong() throws {
        for byteCount in [1389, 1390, 2773, 2774, 2775, 5000, 100_001] {
            var random = SplitMix64(seed: UInt64(byteCount))
            let unit = accessUnit(randomNALUnits([(1, byteCount)], using: &random))
            let run = try #require(packager().package(unit))
            // A packet of 1 400 bytes holds 1 386 after RTP and FU headers.
            #expect(run.packets.count == (byteCount - 1 + 1385) / 1386)
            #expect(Set(run.packets.dropLast().map(\.byteCount)).count <= 1)
            let flags = run.payloads.map { $0[1] & 0xC0 }
            #expect(flags.first == 0x80 && flags.last == 0x40)
            #expect(flags.dropFirst().dropLast().allSatisfy { $0 == 0 })
        }
    }

    @Test func parameterSetsShareAPacketThatKeepsTheirOrder() throws {
        var random = SplitMix64(seed: 3)
        let units = randomNALUnits([(9, 2), (7, 20), (8, 4), (6, 30), (5, 5000)], using: &random)
        let run = try #require(packager().package(accessUnit(units, isKeyframe: true)))
        #expect(run.isKeyframe)
        let importance = units[1...3].map { $0[0] & 0x60 }.max() ?? 0
        let aggregate: [UInt8] = [24 | importance] + units[1...3].flatMap { unit in [0, UInt8(unit.count)] + unit }
        #expect(run.payloads[0] == aggregate)
        #expect(run.payloads.dropFirst(1).allSatisfy { $0[0] & 0x1F == 28 })
    }

    @Test func anIDRPictureIsAParameterSetPacketAndOneGSOBatch() throws {
        var random = SplitMix64(seed: 4)
        let units = randomNALUnits([(7, 20), (8, 4), (5, 50_000)], using: &random)
        let run = try #require(packager().package(accessUnit(units)))
        #expect(run.gsoBatches == [0..<1, 1..<run.packets.count])
    }

    @Test func onlyTheLastPacketOfAWholeUnitIsMarked() throws {
        var random = SplitMix64(seed: 5)
        let units = randomNALUnits([(1, 3000), (1, 20)], using: &random)
        let parts: [(AccessUnit.Part, Bool)] = [(.whole, true), (.first, false), (.middle, false), (.last, true)]
        for (part, endsMarked) in parts {
            let run = try #require(packager().package(accessUnit(units, part: part)))
            #expect(run.part == part)
            #expect(run.packets.last?.isMarked == endsMarked)
            #expect(run.packets.dropLast().allSatisfy { !$0.isMarked })
        }
    }

    @Test func nalUnitsThatRTPCannotCarryAreLeftOut() throws {
        let units: [[UInt8]] = [[0x18, 1], [0x1C, 2], [0x1F, 3], [0x00, 4], [0x41, 5]]
        let run = try #require(packager().package(accessUnit(units)))
        #expect(run.payloads == [[0x41, 5]])
        #expect(packager().package(accessUnit([[0x18, 1]])) == nil)
        #expect(packager().package(accessUnit([[0x41, 5]], track: 9)) == nil)
    }

    @Test func delimitersAreNotSent() throws {
        let slice = [0x41] + [UInt8](repeating: 7, count: 9_000)
        let run = try #require(packager().package(accessUnit([[0x09, 0xF0], slice])))
        #expect(run.gsoBatches.count == 1)
        #expect(packager().package(accessUnit([[0x09, 0xF0]])) == nil)
    }
}
