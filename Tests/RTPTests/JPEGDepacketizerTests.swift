import Media
import TestSupport
import Testing
import Wire

@testable import RTP

/// Frames as a camera sends them (RFC 2435, section 3).
private struct JPEGCamera {
    var type: UInt8 = 1
    var quality: UInt8 = 75
    var (width, height): (UInt8, UInt8) = (6, 4)
    var restartInterval: UInt16 = 0
    /// Sent with qualities from 128 on; `nil` for a first fragment without the header of the tables.
    var tables: [UInt8]? = []
    var precision: UInt8 = 0
    var setsMarkers = true
    private var number: UInt16 = 65_530
    private var timestamp: UInt32 = 0xFFFF_F000

    /// The packets of a frame, with at most so many bytes of data each.
    mutating func packets(of scan: [UInt8], dataBytes: Int) -> [(header: Header, payload: [UInt8])] {
        timestamp &+= 3_600
        return stride(from: 0, to: max(scan.count, 1), by: dataBytes).map { offset in
            let end = min(offset + dataBytes, scan.count)
            var writer = ByteWriter()
            writer.uint8(0)
            writer.uint24(UInt32(offset))
            writer.append([type, quality, width, height])
            if type >= 64 {
                writer.uint16(restartInterval)
                writer.uint16(0xFFFF)
            }
            if offset == 0, quality >= 128, let tables {
                writer.append([0, precision])
                writer.uint16(UInt16(tables.count))
                writer.append(tables)
            }
            writer.append(scan[offset..<end])
            number &+= 1
            let header = Header(
                payloadType: PayloadType(lowBitsOf: 26), isMarked: setsMarkers && end == scan.count,
                sequenceNumber: SequenceNumber(number), timestamp: timestamp, ssrc: SSRC(1))
            return (header, writer.bytes)
        }
    }
}

extension JPEGDepacketizer {
    fileprivate mutating func frames(of packets: [(header: Header, payload: [UInt8])]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for packet in packets {
            push(packet.payload.rawSpan, header: packet.header)
            while let unit = next() { frames.append(unit.bytes) }
        }
        return frames
    }
}

@Suite struct JPEGDepacketizerTests {
    private let sample = JPEGSample.segments(of: JPEGSample.bytes)

    private func segments(_ bytes: [UInt8], _ marker: UInt8) -> [[UInt8]] {
        JPEGSample.segments(of: bytes).segments.filter { $0.marker == marker }.map(\.content)
    }

    /// Data without the byte that begins a marker.
    private func scan(_ count: Int, seed: UInt64 = 5) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return random.bytes(count).map { min($0, 0xFE) }
    }

    /// The tables and headers that follow from the quality are those of the encoder.
    @Test(arguments: [1, 7, 100, 2_000]) func aFrameOfLibjpegGetsItsHeadersBack(dataBytes: Int) throws {
        var camera = JPEGCamera()
        var depacketizer = JPEGDepacketizer()
        let frames = depacketizer.frames(of: camera.packets(of: sample.scan, dataBytes: dataBytes))
        let frame = try #require(frames.first)
        #expect(frames.count == 1)
        let result = JPEGSample.segments(of: frame)
        #expect(result.scan == sample.scan)
        for marker in [0xDB, 0xC4, 0xDA] as [UInt8] {
            #expect(segments(frame, marker) == segments(JPEGSample.bytes, marker), "marker \(marker)")
        }
        // libjpeg numbers the components from 1, too.
        #expect(segments(frame, 0xC0) == segments(JPEGSample.bytes, 0xC0))
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    @Test func everyFormIsReassembled() throws {
        var random = SplitMix64(seed: 9)
        let tables = [UInt8](1...128)
        for type in [0, 1, 64, 65] as [UInt8] {
            for quality in [1, 49, 50, 99, 128, 254, 255] as [UInt8] {
                var camera = JPEGCamera()
                (camera.type, camera.quality, camera.restartInterval) = (type, quality, 17)
                camera.tables = tables
                var depacketizer = JPEGDepacketizer()
                for index in 0..<3 {
                    let scan = scan(Int.random(in: 1...5_000, using: &random), seed: UInt64(index))
                    let bytes = Int.random(in: 1...1_400, using: &random)
                    let frames = depacketizer.frames(of: camera.packets(of: scan, dataBytes: bytes))
                    let frame = try #require(frames.first)
                    #expect(JPEGSample.segments(of: frame).scan == scan)
                    #expect(segments(frame, 0xDD) == (type >= 64 ? [[0, 17]] : []))
                    #expect(segments(frame, 0xC0)[0][7] == (type & 1 == 0 ? 0x21 : 0x22))
                    if quality >= 128 {
                        #expect(segments(frame, 0xDB) == [[0] + tables[..<64], [1] + tables[64...]])
                    }
                    #expect(segments(frame, 0xDB).allSatisfy { !$0.dropFirst().contains(0) })
                }
                #expect(depacketizer.counts == DepacketizerCounts())
            }
        }
    }

    /// Qualities 128 to 254 may send their tables once; 255 may not.
    @Test func tablesAreKeptByTheirQuality() {
        var camera = JPEGCamera()
        var depacketizer = JPEGDepacketizer()
        camera.quality = 130
        #expect(depacketizer.frames(of: camera.packets(of: [1], dataBytes: 9)).isEmpty, "nothing is known yet")
        #expect(depacketizer.counts.malformedPackets == 1)
        camera.tables = [UInt8](repeating: 3, count: 64)
        let first = depacketizer.frames(of: camera.packets(of: [1], dataBytes: 9))
        #expect(first.map { segments($0, 0xDB) } == [[[0] + [UInt8](repeating: 3, count: 64)]])
        // One table for all components.
        #expect(first.map { Array(segments($0, 0xC0)[0].suffix(4)) } == [[0, 3, 0x11, 0]])
        camera.tables = []
        #expect(depacketizer.frames(of: camera.packets(of: [1], dataBytes: 9)) == first)
        camera.quality = 255
        #expect(depacketizer.frames(of: camera.packets(of: [1], dataBytes: 9)).isEmpty)
    }

    @Test func aFrameWithALostPacketIsDropped() {
        for lost in 0..<5 {
            var camera = JPEGCamera()
            var depacketizer = JPEGDepacketizer()
            let (first, second) = (scan(500, seed: 1), scan(500, seed: 2))
            var packets = camera.packets(of: first, dataBytes: 100) + camera.packets(of: second, dataBytes: 100)
            packets.remove(at: lost)
            // Without its last packet, it is not known that the gap does not reach into the next frame: that has all of its packets.
            let frames = depacketizer.frames(of: packets)
            #expect(frames.map { JPEGSample.segments(of: $0).scan } == [second], "without packet \(lost)")
            #expect(depacketizer.counts.lostPackets == (lost == 0 ? 0 : 1))
            #expect(depacketizer.counts.brokenUnits == 1)
        }
    }

    @Test func aFrameThatBeginsWithALossIsDropped() {
        var camera = JPEGCamera()
        var depacketizer = JPEGDepacketizer()
        let scan = scan(500)
        var packets = (0..<3).flatMap { _ in camera.packets(of: scan, dataBytes: 100) }
        packets.removeSubrange(4...6)
        let frames = depacketizer.frames(of: packets)
        #expect(frames.count == 1)
        #expect(depacketizer.counts.brokenUnits == 2)
    }

    /// The next frame ends the one before, if nothing is missing.
    @Test func aSenderWithoutMarkersIsReceivedOneFrameLater() {
        var camera = JPEGCamera()
        camera.setsMarkers = false
        var depacketizer = JPEGDepacketizer()
        let scans = (0..<4).map { scan(300, seed: UInt64($0)) }
        let frames = scans.flatMap { depacketizer.frames(of: camera.packets(of: $0, dataBytes: 100)) }
        #expect(frames.map { JPEGSample.segments(of: $0).scan } == Array(scans.dropLast()))
        #expect(depacketizer.counts == DepacketizerCounts())
    }

    /// A marker inside the data would begin headers that the sender has no right to, such as another size.
    @Test func theScanEndsAtAForeignMarker() {
        let start = [UInt8](repeating: 7, count: 20) + [0xFF, 0x00, 0xFF, 0xD0, 0xFF, 0xFF, 0xD7, 5]
        for (scan, kept) in [
            (start + [0xFF, 0xD9], start), (start + [0xFF, 0xD9, 0, 0], start),
            (start + [0xFF, 0xC0, 0, 17, 8, 0xFF, 0xFF, 0xFF, 0xFF], start), (start + [0xFF], start), (start, start),
        ] {
            var camera = JPEGCamera()
            var depacketizer = JPEGDepacketizer()
            let frames = depacketizer.frames(of: camera.packets(of: scan, dataBytes: 6))
            #expect(frames.map { JPEGSample.segments(of: $0).scan } == [kept])
            #expect(frames.map { Array($0.suffix(2)) } == [[0xFF, 0xD9]])
        }
    }

    @Test func aLargeFrameHasTheDescribedSize() {
        var camera = JPEGCamera()
        (camera.width, camera.height) = (0, 0)
        var depacketizer = JPEGDepacketizer(describedSize: TranscodedFormat.PixelSize(width: 2_592, height: 1_944))
        let frames = depacketizer.frames(of: camera.packets(of: [1, 2], dataBytes: 9))
        #expect(frames.map { Array(segments($0, 0xC0)[0][1..<5]) } == [[0x07, 0x98, 0x0A, 0x20]])
        depacketizer = JPEGDepacketizer()
        #expect(depacketizer.frames(of: camera.packets(of: [1, 2], dataBytes: 9)).isEmpty)
    }

    @Test func reservedAndMalformedPacketsAreCounted() {
        var changes: [(inout JPEGCamera) -> Void] = []
        for type in [2, 63, 66, 127, 128, 255] as [UInt8] { changes.append { $0.type = type } }
        for quality in [0, 100, 127] as [UInt8] { changes.append { $0.quality = quality } }
        changes.append { ($0.quality, $0.tables, $0.precision) = (255, [UInt8](repeating: 1, count: 128), 1) }
        for count in [1, 63, 65, 127] {
            changes.append { ($0.quality, $0.tables) = (255, [UInt8](repeating: 1, count: count)) }
        }
        changes.append { ($0.width, $0.height) = (0, 4) }
        for change in changes {
            var camera = JPEGCamera()
            change(&camera)
            var depacketizer = JPEGDepacketizer()
            #expect(depacketizer.frames(of: camera.packets(of: [1, 2, 3], dataBytes: 9)).isEmpty)
            #expect(depacketizer.counts.malformedPackets == 1, "\(camera)")
        }
        for count in 0..<8 {
            var camera = JPEGCamera()
            var depacketizer = JPEGDepacketizer()
            var packets = camera.packets(of: [1, 2, 3], dataBytes: 9)
            packets[0].payload.removeSubrange(count...)
            #expect(depacketizer.frames(of: packets).isEmpty)
            #expect(depacketizer.counts.malformedPackets == 1)
        }
    }

    /// Whatever a sender does, a frame has at most so many bytes.
    @Test func aFrameIsBounded() {
        var camera = JPEGCamera()
        camera.setsMarkers = false
        var depacketizer = JPEGDepacketizer()
        let scan = [UInt8](repeating: 1, count: JPEGDepacketizer.maximumFrameBytes + 65_000)
        #expect(depacketizer.frames(of: camera.packets(of: scan, dataBytes: 65_000)).isEmpty)
        #expect(depacketizer.frames(of: camera.packets(of: [1], dataBytes: 9)).isEmpty)
        #expect(depacketizer.counts.brokenUnits == 1)
    }
}
