import Media
import TestSupport
import Testing

@testable import MPEGTS

/// Streams that nobody multiplexes by accident cost a bounded amount of memory, and the next good bytes are read.
@Suite struct BoundsTests {
    @Test func everySplitGivesTheSameUnits() {
        let units = [
            videoUnit([nalUnit(5, 300)], at: 0, isKeyframe: true), Broadcast.audioUnit([[1, 2, 3]], at: 0),
            videoUnit([nalUnit(1, 200)], at: 3_000),
        ]
        let stream = written(units).flatMap(\.packet)
        let whole = demultiplexed([stream])
        for place in 1..<stream.count {
            // A first packet shows where packets begin, however few bytes follow.
            let null = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
            let split = demultiplexed([null, Array(stream[..<place]), Array(stream[place...])])
            #expect(split.programs == whole.programs)
            #expect(split.units.map(\.bytes) == whole.units.map(\.bytes), "split at \(place)")
            #expect(split.units.map(\.presentationTime) == whole.units.map(\.presentationTime))
        }
    }

    @Test func aThousandPIDsAreOnlyPassedOver() {
        var maker = PacketMaker()
        var pieces = tablesOfH264(&maker)
        for round in 0..<3 {
            for pid in 0x200..<0x600 {
                pieces += maker.packets(of: [UInt8](repeating: UInt8(round), count: 184), on: pid)
            }
        }
        pieces += maker.pes([0, 0, 1, 0x65, 0x88, 0x80], on: 0x41, at: 90_000)
        let result = demultiplexed(pieces)
        #expect(result.units.count == 1)
    }

    /// NAL units of a byte: the limit of bytes would let two million of them be kept.
    @Test(arguments: [(4_096, 0), (4_097, 1), (100_000, 24)])
    func aUnitOfThousandsOfNALUnitsIsGivenUp(count: Int, brokenCount: Int) {
        var maker = PacketMaker()
        let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xF0]
        let frame = delimiter + [0, 0, 1, 0x65, 0x88, 0x80]
        // Filler data, which belongs to the picture before it.
        let fillers = (2..<count).flatMap { _ in [0, 0, 1, 0x0C] as [UInt8] }
        var demultiplexer = Demultiplexer()
        var result = Demultiplexed()
        let packets =
            tablesOfH264(&maker) + maker.pes(frame + fillers, on: 0x41, at: 90_000, hasLength: false)
            + maker.pes(frame, on: 0x41, at: 93_600) + maker.pes(frame, on: 0x41, at: 97_200)
        for packet in packets { demultiplexer.receive(packet.rawSpan, arrival: MonotonicTime(nanoseconds: 0)) }
        demultiplexer.finish()
        result.take(from: &demultiplexer)
        #expect(demultiplexer.brokenUnitCount == brokenCount)
        #expect(result.units.allSatisfy { $0.units.count <= 4_096 })
        #expect(result.units.contains { $0.presentationTime.ticks == 90_000 } == (brokenCount == 0))
        #expect(result.units.last?.presentationTime.ticks == 97_200 && result.units.last?.isComplete == true)
        #expect(result.units.last?.contents == [[9, 0xF0], [0x65, 0x88, 0x80]])
    }

    @Test func aProgramMapOfManyStreamsIsRead() {
        var maker = PacketMaker()
        let streams = (0..<200).map { (type: UInt8(0x02), pid: 0x100 + $0, descriptors: [UInt8]()) }
        let result = demultiplexed(
            tables(streams.map { ($0.type, $0.pid, $0.descriptors) } + [(0x1B, 0x90, [])], &maker))
        #expect(result.programs.first?.streams == [.h264])
        #expect(result.programs.first?.others.count == 200)
    }

    @Test func aDamagedStreamIsFoundAgainAndCounted() {
        let units = (0..<12).map {
            videoUnit([nalUnit($0 == 0 ? 5 : 1, 500)], at: Int64($0) * 3_000, isKeyframe: $0 == 0)
        }
        var stream = written(units).flatMap(\.packet)
        // 100 bytes are missing amid a packet: the others are no longer where they are expected.
        stream.removeSubrange((188 * 8 + 40)..<(188 * 8 + 140))
        var demultiplexer = Demultiplexer()
        demultiplexer.receive(stream.rawSpan, arrival: MonotonicTime(nanoseconds: 0))
        demultiplexer.finish()
        var result = Demultiplexed()
        result.take(from: &demultiplexer)
        #expect(demultiplexer.strayByteCount > 0 && demultiplexer.strayByteCount < 3 * 188)
        #expect(result.units.suffix(5).allSatisfy { $0.contents.last == nalUnit(1, 500) && $0.isComplete })
    }

    @Test func servicesHaveNames() {
        let names: [(bytes: [UInt8], name: String?)] = [
            (Array("Yard".utf8), "Yard"), ([0x15] + Array("Höfe".utf8), "Höfe"), (Array("Höfe".utf8), "Höfe"),
            ([0x05, 0xE4], nil), ([], nil), ([0xFF, 0xFE], nil),
        ]
        for (bytes, name) in names {
            var maker = PacketMaker()
            var demultiplexer = Demultiplexer()
            let packets = tablesOfH264(&maker) + maker.sections([serviceSection(1, bytes)], on: 0x11)
            for packet in packets { demultiplexer.receive(packet.rawSpan, arrival: MonotonicTime(nanoseconds: 0)) }
            #expect(demultiplexer.serviceName == name)
        }
    }

    @Test func manyServicesAreNotKept() {
        var maker = PacketMaker()
        var demultiplexer = Demultiplexer()
        var packets: [[UInt8]] = []
        for service in 2..<2_000 { packets += maker.sections([serviceSection(UInt16(service), [0x41])], on: 0x11) }
        packets += tablesOfH264(&maker) + maker.sections([serviceSection(1, [0x41])], on: 0x11)
        for packet in packets { demultiplexer.receive(packet.rawSpan, arrival: MonotonicTime(nanoseconds: 0)) }
        #expect(demultiplexer.serviceName == nil && demultiplexer.hasProgram)
    }

    private func tablesOfH264(_ maker: inout PacketMaker) -> [[UInt8]] { tables([(0x1B, 0x41, [])], &maker) }

    private func serviceSection(_ service: UInt16, _ name: [UInt8]) -> [UInt8] {
        let descriptor: [UInt8] = [1, 3] + Array("Me!".utf8) + [UInt8(name.count)] + name
        let body: [UInt8] =
            [0, 1, 0xFF, UInt8(service >> 8), UInt8(service & 0xFF), 0xFC, 0x80, UInt8(descriptor.count + 2)]
            + [0x48, UInt8(descriptor.count)] + descriptor
        return Section(.serviceDescription, identifier: 1, body: body).bytes
    }
}
