import Media
import TestSupport
import Testing

@testable import MPEGTS

/// A receiver gets back what the multiplexer has written, in whatever pieces it comes, and without what was lost.
@Suite struct DemultiplexerTests {
    @Test(arguments: ElementaryStreamTests.broadcasts)
    func everyUnitIsReadBackWithItsTimes(broadcast: Broadcast) {
        let units = broadcast.units(seconds: 4, seed: 1)
        let tracks = tracks(audioRate: broadcast.audioRate)
        let result = demultiplexed(written(units, tracks: tracks).map(\.packet))
        #expect(result.programs == [Program(streams: [.h264, .aac], others: [])])
        expect(result, equals: units)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func anySplitGivesTheSameUnits(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let units = Broadcast(reorders: true, comesInParts: seed % 2 == 0).units(seconds: 1, seed: seed)
        let stream = written(units).flatMap(\.packet)
        for longest in [1, 187, 500, 20_000] {
            expect(demultiplexed(stream.pieces(upTo: longest, using: &random)), equals: units)
        }
    }

    /// Bytes that come before the first packet may look like the beginning of one.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func bytesBeforeTheFirstPacketAreSkipped(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let units = Broadcast().units(seconds: 1, seed: seed)
        let stream = written(units).flatMap(\.packet)
        let stray = (0..<Int.random(in: 1...600, using: &random)).map { _ in
            Bool.random(using: &random) ? 0x47 : UInt8.random(in: 0...0xFF, using: &random)
        }
        expect(demultiplexed((stray + stream).pieces(upTo: 1_500, using: &random)), equals: units)
    }

    @Test func bytesBetweenPacketsAreSkipped() {
        let units = Broadcast().units(seconds: 1, seed: 7)
        let pieces = written(units).enumerated().map { number, written in
            written.packet + (number % 9 == 0 ? [UInt8](repeating: 0x12, count: number % 300) : [])
        }
        expect(demultiplexed(pieces), equals: units)
    }

    /// A packet may be sent twice (2.4.3.3).
    @Test func repeatedPacketsAreUsedOnce() {
        let units = Broadcast(comesInParts: true).units(seconds: 2, seed: 3)
        expect(demultiplexed(written(units).flatMap { [$0.packet, $0.packet] }), equals: units)
    }

    /// Whatever is lost, a complete unit is one that was sent, with its times, and units far from all losses are complete.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func lossesDamageOnlyTheUnitsAroundThem(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let units = Broadcast(reorders: seed % 2 == 0).units(seconds: 4, seed: seed)
        let all = written(units)
        let lost = Set((0..<8).map { _ in Int.random(in: 100..<all.count, using: &random) })
        let result = demultiplexed(all.indices.filter { !lost.contains($0) }.map { all[$0].packet })
        let sent = ElementaryStreamTests.sentVideo(units)
        let video = units.indices.filter { units[$0].track == MPEGTSTests.video }
        let damaged = Set(lost.map { all[$0].unit })
        let received = result.units(of: 0)
        for unit in received where unit.isComplete {
            let place = video.firstIndex { ticks(units[$0].decodeTime) == unit.decodeTime.ticks }
            #expect(place.map { ticks(units[video[$0]].presentationTime) } == unit.presentationTime.ticks)
            #expect(place.map { sent[$0] } == unit.contents)
        }
        let complete = Set(received.filter(\.isComplete).map(\.decodeTime.ticks))
        for (place, index) in video.enumerated() {
            let neighbours = video[max(0, place - 1)...min(video.count - 1, place + 1)]
            guard neighbours.allSatisfy({ !damaged.contains($0) }) else { continue }
            #expect(complete.contains(ticks(units[index].decodeTime)), "frame \(place)")
        }
        // Audio is never damaged, only missing.
        let audio = Set(ElementaryStreamTests.sentAudio(units).map { $0[0] })
        #expect(result.units(of: 1).allSatisfy { $0.isComplete && audio.contains($0.bytes) })
        let isAudioLost = lost.contains { all[$0].packet.pid == audioPID }
        #expect((result.units(of: 1).count < units.count - video.count) == isAudioLost)
        let isVideoLost = lost.contains { all[$0].packet.pid == videoPID }
        #expect(received.contains(where: { !$0.isComplete }) == isVideoLost)
    }

    /// The counter does not show a loss of sixteen packets, so a receiver that knows of it says so.
    @Test func aLossThatTheCounterHidesIsNoted() throws {
        let frames = (0..<6).map { number in
            videoUnit([nalUnit(number == 0 ? 5 : 1, 8_000)], at: Int64(number) * 3_000, isKeyframe: number == 0)
        }
        let all = written(frames).map(\.packet)
        // Amid the third frame, behind its header.
        let starts = all.indices.filter { all[$0].startsUnit && all[$0].pid == videoPID }
        let start = try #require(starts.dropFirst(2).first)
        let lost = (start + 4)..<(start + 20)
        for isNoted in [false, true] {
            var demultiplexer = Demultiplexer()
            var result = Demultiplexed()
            for (number, packet) in all.enumerated() where !lost.contains(number) {
                if isNoted, number == lost.upperBound { demultiplexer.recordLoss(packetCount: 16) }
                demultiplexer.receive(packet.rawSpan, arrival: MonotonicTime(nanoseconds: 0))
            }
            demultiplexer.finish()
            result.take(from: &demultiplexer)
            #expect(result.units.filter { !$0.isComplete }.count == (isNoted ? 1 : 0))
        }
    }

    @Test func timesGoOnWhereTheirBitsWrap() {
        let wrap: Int64 = 1 << 33
        let units = (0..<8).map { number in
            videoUnit([nalUnit(number == 0 ? 5 : 1, 100)], at: wrap - 912_000 + Int64(number) * 3_000)
        }
        let times = demultiplexed(written(units).map(\.packet)).units.map(\.presentationTime.ticks)
        #expect(times == (0..<8).map { wrap - 12_000 + $0 * 3_000 })
    }

    @Test func aRestartedSourceBeginsAnotherTimeBase() {
        let first = Broadcast().units(seconds: 3, seed: 5)
        let result = demultiplexed(written(first + first).map(\.packet))
        #expect(Set(result.units.map(\.timeBase)) == [0, 1])
        // Audio and video of a time base have its times.
        for stream in 0...1 {
            let bases = result.units(of: stream).map(\.timeBase)
            #expect(bases == bases.sorted() && Set(bases).count == 2)
        }
        let times = result.units(of: 0).map(\.presentationTime.ticks)
        #expect(times.suffix(90) == times.prefix(90))
    }

    @Test func h265AndOpusAreReadBack() {
        let slice = H265Samples.idr + [UInt8](repeating: 7, count: 900)
        let tracks = [
            Track(id: video, format: .h265(H265Samples.sets)), Track(id: audio, format: .opus(channelCount: 2)),
        ]
        let packets: [[UInt8]] = [1, 254, 255, 256, 510, 1_200].map { [0x78] + [UInt8](repeating: 9, count: $0) }
        let units = packets.indices.flatMap { index -> [AccessUnit] in
            let ticks = Int64(index) * 1_800
            return [
                videoUnit([index == 0 ? slice : H265Samples.other], at: ticks, isKeyframe: index == 0),
                audioUnit([packets[index]], at: Int64(index) * 960),
            ]
        }
        let result = demultiplexed(written(units, tracks: tracks).map(\.packet))
        #expect(result.programs == [Program(streams: [.h265, .opus], others: [])])
        let delimiter: [UInt8] = [0x46, 0x01, 0x50]
        #expect(result.units(of: 0).map(\.contents).first == [delimiter] + H265Samples.sets.all + [slice])
        #expect(result.units(of: 0).dropFirst().allSatisfy { $0.contents == [delimiter, H265Samples.other] })
        #expect(result.units(of: 0).map(\.isKeyframe) == [true] + [Bool](repeating: false, count: 5))
        #expect(result.units(of: 1).map(\.bytes) == packets)
        #expect(result.units(of: 1).allSatisfy { $0.format == .opus(channelCount: 2) })
        #expect(result.units(of: 1).map(\.presentationTime.ticks) == (0..<6).map { 900_000 + $0 * 1_800 })
    }

    /// One of them may contain sync bytes, tables and PES packets.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func damagedBytesNeverTrap(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stream = written(Broadcast(reorders: true).units(seconds: 1, seed: seed)).flatMap(\.packet)
        for _ in 0..<Int.random(in: 1...400, using: &random) {
            stream[Int.random(in: stream.indices, using: &random)] = UInt8.random(in: 0...0xFF, using: &random)
        }
        let result = demultiplexed(stream.pieces(upTo: 1_316, using: &random))
        for unit in result.units {
            #expect(unit.units.allSatisfy { !$0.isEmpty && $0.upperBound <= unit.bytes.count })
        }
    }

    @Test func bytesWithoutMediaAreNoMedia() {
        var demultiplexer = Demultiplexer()
        let now = MonotonicTime(nanoseconds: 0)
        var null = [UInt8](repeating: 0xFF, count: 188)
        null.replaceSubrange(0..<4, with: [0x47, 0x1F, 0xFF, 0x10])
        let (isNull, isStray) = (
            demultiplexer.receive(null.rawSpan, arrival: now), demultiplexer.receive([1, 2, 3].rawSpan, arrival: now)
        )
        #expect(!isNull && !isStray && demultiplexer.hasPackets && !demultiplexer.hasProgram)
        let packets = written([videoUnit([nalUnit(5, 10)], at: 0, isKeyframe: true)]).map(\.packet)
        let stray = [UInt8](repeating: 0, count: 500)
        let hasMedia = packets.map { demultiplexer.receive((stray + $0).rawSpan, arrival: now) }
        #expect(packets.count == 3 && !hasMedia.contains(true), "without five packets in a row, none is sure")
        var fresh = Demultiplexer()
        #expect(packets.map { fresh.receive($0.rawSpan, arrival: now) } == [false, false, true])
    }

    // MARK: - Expected values

    /// The time in the stream.
    private func ticks(_ time: MediaTime) -> Int64 { time.at90kHz.ticks + 900_000 }

    private func expect(
        _ result: Demultiplexed, equals units: [AccessUnit], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (video, audio) = (result.units(of: 0), result.units(of: 1))
        let starts = units.filter { $0.track == MPEGTSTests.video && $0.part.isStart }
        let sounds = units.filter { $0.track == MPEGTSTests.audio }
        let frames = ElementaryStreamTests.sentVideo(units)
        #expect(!result.units.contains { !$0.isComplete }, sourceLocation: sourceLocation)
        #expect(video.map(\.contents) == frames, sourceLocation: sourceLocation)
        #expect(
            video.map(\.presentationTime.ticks) == starts.map { ticks($0.presentationTime) },
            sourceLocation: sourceLocation)
        #expect(video.map(\.decodeTime.ticks) == starts.map { ticks($0.decodeTime) }, sourceLocation: sourceLocation)
        #expect(
            video.map(\.isKeyframe) == frames.map { $0.contains { AnnexB.type(of: $0) == 5 } },
            sourceLocation: sourceLocation)
        #expect(audio.map(\.contents) == ElementaryStreamTests.sentAudio(units), sourceLocation: sourceLocation)
        #expect(
            audio.map(\.presentationTime.ticks) == sounds.map { ticks($0.presentationTime) },
            sourceLocation: sourceLocation)
    }
}
