import Media
import Testing
import Wire

@testable import RTP

/// AAC in LATM, as ffmpeg (`-rtpflags latm`) and GStreamer (rtpmp4apay) send it.
struct LATMDepacketizerTests {
    private func configuration(_ digits: String) -> AAC.StreamMuxConfig? {
        let digits = Array(digits.utf8)
        return AAC.StreamMuxConfig(
            parsing: stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            })
    }

    private func element(_ units: [[UInt8]]) -> [UInt8] {
        units.flatMap { unit in
            [UInt8](repeating: 0xFF, count: unit.count / 255) + CollectionOfOne(UInt8(unit.count % 255)) + unit
        }
    }

    private func header(_ number: UInt16, _ timestamp: UInt32, isMarked: Bool) -> Header {
        Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: isMarked, sequenceNumber: SequenceNumber(number),
            timestamp: timestamp, ssrc: SSRC(1))
    }

    /// The configurations were recorded from both programs.
    @Test(arguments: [
        ("400023103fc0", 48_000, 1, 1, "1188"), ("40002310adca00", 48_000, 1, 1, "118856E500"),
        ("40002420adca00", 44_100, 2, 1, "121056E500"), ("41002320adca00", 48_000, 2, 2, "119056E500"),
    ])
    func configurations(digits: String, rate: Int32, channels: Int, units: Int, bytes: String) throws {
        let parsed = try #require(configuration(digits))
        #expect(parsed.configuration.sampleRate.hertz == rate && parsed.configuration.channelCount == channels)
        #expect(parsed.configuration.audioObjectType == 2 && parsed.unitsPerElement == units)
        #expect(
            parsed.configuration.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                .uppercased() == bytes)
    }

    @Test func malformedConfigurationsAreRefused() {
        let whole = "40002320adca00"
        for digits in ["", "c0002320adca00", "00002320adca00", "40102320adca00", "40002304adca00", "4000ff20adca00"] {
            #expect(configuration(digits) == nil, "\(digits)")
        }
        for count in stride(from: 0, through: 6, by: 2) { #expect(configuration(String(whole.prefix(count))) == nil) }
    }

    /// Each unit survives, whatever its size, however its element is split into packets, and with several units in an element.
    @Test func depacketizingReturnsWhatWasPacketized() throws {
        for (digits, perElement) in [("40002320adca00", 1), ("41002320adca00", 2)] {
            let parsed = try #require(configuration(digits))
            for byteCount in [1, 2, 254, 255, 256, 509, 510, 511, 1_000] {
                let units = (0..<perElement).map { index in
                    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &+ index) }
                }
                let bytes = element(units)
                for split in [bytes.count, 1 + bytes.count / 2, 1 + bytes.count / 7] {
                    var depacketizer = LATMDepacketizer(parsed)
                    var number: UInt16 = 65_534
                    for start in stride(from: 0, to: bytes.count, by: split) {
                        let end = min(bytes.count, start + split)
                        let part = Array(bytes[start..<end])
                        depacketizer.push(part.span.bytes, header: header(number, 7, isMarked: end == bytes.count))
                        number &+= 1
                    }
                    for (index, unit) in units.enumerated() {
                        let received = depacketizer.next()
                        #expect(received?.bytes == unit)
                        #expect(received?.rtpTimestamp == 7 + UInt32(index) * 1_024)
                    }
                    #expect(depacketizer.next() == nil)
                    #expect(depacketizer.counts == DepacketizerCounts())
                }
            }
        }
    }

    @Test func aPacketMayHoldSeveralElements() throws {
        var depacketizer = LATMDepacketizer(try #require(configuration("40002320adca00")))
        let bytes = element([[1, 2], [3]]) + element([[4, 5, 6]])
        depacketizer.push(bytes.span.bytes, header: header(1, 100, isMarked: true))
        #expect(depacketizer.next()?.bytes == [1, 2])
        #expect(depacketizer.next()?.bytes == [3])
        let last = depacketizer.next()
        #expect(last?.bytes == [4, 5, 6] && last?.rtpTimestamp == 100 + 2_048)
    }

    @Test func lostAndMalformedPacketsAreCounted() throws {
        var depacketizer = LATMDepacketizer(try #require(configuration("40002320adca00")))
        let bytes = element([[UInt8](repeating: 9, count: 100)])
        let first = Array(bytes.prefix(40))
        depacketizer.push(first.span.bytes, header: header(1, 100, isMarked: false))
        depacketizer.push(bytes.span.bytes, header: header(3, 1_124, isMarked: true))
        #expect(depacketizer.next()?.rtpTimestamp == 1_124)
        depacketizer.push(first.span.bytes, header: header(4, 2_148, isMarked: true))
        let none: [UInt8] = []
        depacketizer.push(none.span.bytes, header: header(5, 3_172, isMarked: true))
        depacketizer.push(bytes.span.bytes, header: header(5, 3_172, isMarked: true))
        #expect(depacketizer.next() == nil)
        #expect(depacketizer.counts.lostPackets == 1 && depacketizer.counts.brokenUnits == 1)
        #expect(depacketizer.counts.malformedPackets == 2 && depacketizer.counts.latePackets == 1)
    }

    /// Thousands of tiny units in a packet would take time from other clients.
    @Test func aPacketWithTooManyUnitsIsMalformed() throws {
        for (count, isTaken) in [(LATMDepacketizer.maximumUnits, true), (LATMDepacketizer.maximumUnits + 1, false)] {
            var latm = LATMDepacketizer(try #require(configuration("40002320adca00")))
            let elements = element(Array(repeating: [7], count: count))
            latm.push(elements.span.bytes, header: header(1, 100, isMarked: true))
            let unit = latm.next()
            #expect((unit != nil) == isTaken && latm.counts.malformedPackets == (isTaken ? 0 : 1))
            var aac = AACDepacketizer()
            let bits = count * 16
            let sizes = (0..<count).flatMap { _ in [UInt8(0), UInt8(8)] }
            let packet = [UInt8(bits >> 8), UInt8(bits & 0xFF)] + sizes + [UInt8](repeating: 7, count: count)
            aac.push(packet.span.bytes, header: header(1, 100, isMarked: true))
            let other = aac.next()
            #expect((other != nil) == isTaken && aac.counts.malformedPackets == (isTaken ? 0 : 1))
        }
    }

    /// A sender that never marks a packet does not make the receiver keep everything.
    @Test func anElementWithoutAnEndIsBounded() throws {
        var depacketizer = LATMDepacketizer(try #require(configuration("40002320adca00")))
        let bytes = [UInt8](repeating: 0xFF, count: 1_400)
        for number in 0..<200 {
            depacketizer.push(bytes.span.bytes, header: header(UInt16(number), 7, isMarked: false))
        }
        #expect(depacketizer.counts.malformedPackets == 200 / 47 && depacketizer.next() == nil)
    }
}
