import Media
import RTP
import TestSupport
import Testing
import Wire

@Suite struct H265PayloadTests {
    private static func packager(maximumPacketBytes: Int = 1400) -> RTPPackager {
        RTPPackager(
            tracks: [Track(id: TrackID(0), format: .h265(H265Samples.sets))],
            options: .init(maximumPacketBytes: maximumPacketBytes))
    }

    /// NAL units of the given types and lengths, of layer 0, with random temporal ids and bodies.
    private static func nalUnits(_ shape: [(type: UInt8, byteCount: Int)], using random: inout SplitMix64) -> [[UInt8]]
    {
        shape.map { type, byteCount in
            [type << 1, UInt8.random(in: 1...7, using: &random)] + random.bytes(max(0, byteCount - 2))
        }
    }

    /// Bodies of random bytes may contain start codes, which no NAL unit does.
    private static func withoutStartCodes(_ units: [[UInt8]]) -> [[UInt8]] {
        units.map { unit in unit.prefix(2) + unit.dropFirst(2).map { $0 == 0 ? 1 : $0 } }
    }

    @Test(arguments: H264PayloadTests.packetSizes)
    func depacketizingReversesPacketizing(packetBytes: Int) throws {
        var random = SplitMix64(seed: 17)
        let shapes: [[(type: UInt8, byteCount: Int)]] =
            [
                [(32, 24), (33, 40), (34, 7), (39, 30), (19, 30_000)], [(35, 3), (1, 300)], [(0, 2)], [(0, 90)],
                [(21, 70_000), (40, 20)], [(32, 1200), (33, 1300), (34, 10), (20, 1386), (20, 1387), (20, 1388)],
            ]
            + (0..<40).map { _ in
                (0..<Int.random(in: 1...8, using: &random)).map { _ in
                    (UInt8.random(in: 0...47, using: &random), Int.random(in: 2...4_000, using: &random))
                } + [(1, 40)]
            }
        let packager = Self.packager(maximumPacketBytes: packetBytes)
        var rewriter = HeaderRewriter.forTests()
        var depacketizer = H265Depacketizer()
        for shape in shapes {
            let units = Self.withoutStartCodes(Self.nalUnits(shape, using: &random))
            let run = try #require(packager.package(accessUnit(units)))
            for datagram in run.datagrams(&rewriter) {
                #expect(datagram.count <= packetBytes)
                depacketizer.push(datagram: datagram)
            }
            let received = try #require(take(&depacketizer))
            #expect(received.contents == units.filter { $0[0] >> 1 != 35 })
            #expect(received.isComplete)
            #expect(take(&depacketizer) == nil)
        }
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    @Test func parameterSetsShareAPacketThatKeepsTheirOrder() throws {
        let units = H265Samples.sets.all + [H265Samples.idr + [UInt8](repeating: 7, count: 5_000)]
        let run = try #require(Self.packager().package(accessUnit(units, isKeyframe: true)))
        var aggregate: [UInt8] = [0x60, 0x01]
        for set in H265Samples.sets.all { aggregate += [0, UInt8(set.count)] + set }
        #expect(run.payloads[0] == aggregate)
        let heads = run.payloads.dropFirst().map { Array($0.prefix(3)) }
        #expect(heads.first == [0x62, 0x01, 0x80 | 19] && heads.last == [0x62, 0x01, 0x40 | 19])
        #expect(heads.dropFirst().dropLast().allSatisfy { $0 == [0x62, 0x01, 19] })
    }

    /// Every way to divide a NAL unit into three fragments.
    @Test func anySplitIntoFragmentsGivesTheUnit() {
        let body: [UInt8] = [9, 8, 7, 6, 5, 4]
        for first in 0...body.count {
            for second in first...body.count {
                let parts = [body[..<first], body[first..<second], body[second...]]
                var depacketizer = H265Depacketizer()
                for (index, part) in parts.enumerated() {
                    let flags: UInt8 = index == 0 ? 0x80 : index == 2 ? 0x40 : 0
                    depacketizer.push([0x62, 0x01, flags | 1] + part, number: index, isMarked: index == 2)
                }
                #expect(take(&depacketizer)?.contents == [[0x02, 0x01] + body])
            }
        }
    }

    /// What devices send that is unusual, and means the same as one slice.
    @Test(
        arguments: [
            [[0x00, 0x01, 9, 8]],
            // Start and end bit together.
            [[0x62, 0x01, 0xC0, 9, 8]],
            // An aggregate with one unit, with and without zeros behind it.
            [[0x60, 0x01, 0, 4, 0x00, 0x01, 9, 8]],
            [[0x60, 0x01, 0, 4, 0x00, 0x01, 9, 8, 0, 0, 0]],
            // Start codes before the NAL unit.
            [[0, 0, 0, 1, 0x00, 0x01, 9, 8]],
            [[0, 0, 1, 0x00, 0x01, 9, 8]],
        ] as [[[UInt8]]])
    func whatDevicesSendIsUnderstood(payloads: [[UInt8]]) {
        var depacketizer = H265Depacketizer()
        for (number, payload) in payloads.enumerated() {
            depacketizer.push(payload, number: number, isMarked: number == payloads.count - 1)
        }
        #expect(take(&depacketizer)?.contents == [[0x00, 0x01, 9, 8]])
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    /// PACI, reserved types, the forbidden temporal id 0, truncated headers and wrong lengths.
    @Test(
        arguments: [
            [0x02], [0x64, 0x01, 1, 2], [0x66, 0x01, 1], [0x7E, 0x01, 1], [0x02, 0x00, 1], [0x62, 0x01],
            [0x62, 0x01, 0x80 | 48, 1], [0x60, 0x01], [0x60, 0x01, 0, 9, 0x02, 0x01], [0x60, 0x01, 0, 1, 0x02],
            [0x60, 0x01, 0, 0], [0x60, 0x01, 0, 3, 0x60, 0x01, 1],
        ] as [[UInt8]])
    func malformedPayloadsAreCounted(payload: [UInt8]) {
        var depacketizer = H265Depacketizer()
        depacketizer.push(payload, number: 0, isMarked: true)
        #expect(take(&depacketizer) == nil)
        #expect(depacketizer.counts.malformedPackets == 1)
    }

    @Test func packetsThatBeginAKeyframeAreRecognised() {
        let payloads: [([UInt8], Bool)] = [
            ([0x62, 0x01, 0x80 | 21, 1], true), ([0x62, 0x01, 21, 1], false), ([0x62, 0x01], false), ([0x62], false),
            ([0x60, 0x01, 0, 3, 0x40, 0x01, 1, 0, 3, 0x26, 0x01, 1], true),
            ([0x60, 0x01, 0, 3, 0x40, 0x01, 1], false), ([], false),
            (H265Samples.idr, true), (H265Samples.other, false),
        ]
        for (payload, begins) in payloads {
            let isRecognised = H265PayloadHeader.beginsRandomAccessPoint(payload.rawSpan)
            #expect(isRecognised == begins, "\(payload)")
        }
    }
}

@Suite struct ReceivedH265Tests {
    /// Sets that are only in the stream are awaited; later keyframes get them. A recovery point (payload type 6 in SEI) is one.
    @Test func setsInTheStreamAreAwaitedAndCompleted() {
        var stream = ReceivedStream(
            .tracks([.init(clockRate: .video, format: .h265InBand)]), epoch: MonotonicTime(nanoseconds: 0))
        let sender = RTPPackager(
            tracks: [Track(id: TrackID(0), format: .h265(H265Samples.sets))], options: .init())
        var rewriter = HeaderRewriter.forTests()
        var story: [String] = []
        let frames = [
            [H265Samples.idr], H265Samples.sets.all + [H265Samples.idr], [H265Samples.other], [H265Samples.idr],
            [[0x4E, 0x01, 0x06, 0x01, 0x9C, 0x80], H265Samples.other],
        ]
        for (number, units) in frames.enumerated() {
            let frame = accessUnit(units, ticks: Int64(number) * 3_600)
            for bytes in sender.package(frame)?.datagrams(&rewriter) ?? [] {
                guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
                stream.received(
                    bytes.rawSpan.extracting(payload), header: header, track: 0,
                    arrival: MonotonicTime(nanoseconds: Int64(number) * 40_000_000))
            }
            while let output = stream.next() {
                switch output {
                case .announce(let tracks): story.append("announce \(tracks.map(\.codec))")
                case .publish(let unit):
                    let types = unit.units.map { "\(unit.bytes[$0.lowerBound] >> 1)" }.joined(separator: " ")
                    story.append((unit.isKeyframe ? "key " : "") + types)
                }
            }
        }
        #expect(
            story == ["announce [Media.Codec.h265]", "key 32 33 34 19", "1", "key 32 33 34 19", "key 32 33 34 39 1"])
    }
}

/// The next unit; the test macros cannot call mutating functions.
private func take(_ depacketizer: inout H265Depacketizer) -> ReceivedUnit? { depacketizer.next() }

extension H265Depacketizer {
    fileprivate mutating func push(datagram: [UInt8]) {
        guard let (header, payload) = Header.parse(datagram.rawSpan) else { return }
        push(datagram.rawSpan.extracting(payload), header: header)
    }

    fileprivate mutating func push(_ payload: [UInt8], number: Int, isMarked: Bool) {
        push(
            payload.rawSpan,
            header: Header(
                payloadType: PayloadType(lowBitsOf: 96), isMarked: isMarked,
                sequenceNumber: SequenceNumber(UInt16(number)), timestamp: 0, ssrc: SSRC(1)))
    }
}
