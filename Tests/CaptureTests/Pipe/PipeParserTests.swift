import Media
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Feeds a parser with pieces on virtual time, as a writer would, and signals pauses.
private struct Writer {
    var parser = PipeParser()
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var outputs: [PipeParser.Output] = []

    mutating func wait(_ nanoseconds: Int64) -> Int64 {
        var waited: Int64 = 0
        if let quiet = parser.quietNanoseconds(at: now), quiet <= nanoseconds {
            now = now + quiet
            waited = quiet
            outputs += parser.quietPassed()
        }
        now = now + (nanoseconds - waited)
        return nanoseconds
    }

    /// Writes after a pause.
    mutating func write(_ bytes: [UInt8], after nanoseconds: Int64) {
        let gap = wait(nanoseconds)
        outputs += parser.received(bytes, at: now, afterGap: gap)
    }

    var units: [[UInt8]] { outputs.flatMap(\.units) }
}

private let sequence: [UInt8] = [0x67, 0x42, 0x00, 0x1E, 0xDA, 0x10, 0x99]
private let pictureSet: [UInt8] = [0x68, 0xCE, 0x38, 0x80]
private let code: [UInt8] = [0, 0, 0, 1]

/// A P slice of 64×64 with picture order type 2: first_mb 0 (1) or 4 (00101), slice_type 0 (1), pps 0 (1), frame_num (4 bits).
private func slice(_ frame: Int, second: Bool = false, length: Int = 40) -> [UInt8] {
    let number = UInt8(frame & 15)
    let header: [UInt8] = second ? [0b0010_1110 | number >> 3, number << 5 | 0x10] : [0b1110_0000 | number << 1, 0x55]
    return [0x41] + header + (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + frame) | 1 }
}

private let idr: [UInt8] = [0x65, 0b1011_1000, 0b0100_0010] + (0..<60).map { UInt8($0) | 0x81 }
private let millisecond: Int64 = 1_000_000

@Suite struct PipeParserTests {
    /// A writer of whole units: parameter sets, an IDR frame, then `count` frames every 33 ms.
    private func wholeUnits(_ count: Int) -> Writer {
        var writer = Writer()
        writer.write(code + sequence + code + pictureSet + code + idr, after: 0)
        for frame in 1...count { writer.write(code + slice(frame), after: 33 * millisecond) }
        return writer
    }

    @Test func aUnitIsOutputOneMillisecondAfterItsLastByte() {
        var writer = wholeUnits(12)
        let before = writer.outputs.count
        #expect(writer.parser.quietNanoseconds(at: writer.now) == millisecond)
        _ = writer.wait(millisecond)
        #expect(writer.outputs.count == before + 1)
        #expect(writer.outputs.last?.units == [slice(12)])
        #expect(writer.outputs.last?.arrival == writer.now + -millisecond)
        #expect(writer.outputs.allSatisfy { $0.part == .whole })
        #expect(writer.outputs.count == 13 && writer.outputs[0].isIDR)
    }

    @Test func parameterSetsAloneAreNotOutput() {
        var writer = wholeUnits(12)
        writer.write(code + sequence + code + pictureSet, after: 33 * millisecond)
        #expect(writer.parser.quietNanoseconds(at: writer.now) == nil)
    }

    @Test func aLateSliceStillBelongsToItsFrame() {
        var writer = wholeUnits(12)
        _ = writer.wait(2 * millisecond)
        writer.write(code + slice(12, second: true), after: 3 * millisecond)
        _ = writer.wait(2 * millisecond)
        let last = writer.outputs.suffix(2)
        #expect(last.map(\.part) == [.whole, .last])
        #expect(Set(last.map(\.arrival)).count == 1)
        #expect(last.map(\.units) == [[slice(12)], [slice(12, second: true)]])
    }

    @Test func anIncompleteFrameIsOutputAsItsFirstPart() {
        var writer = Writer()
        writer.write(code + sequence + code + pictureSet + code + idr + code + slice(0, second: true), after: 0)
        for frame in 1...12 {
            writer.write(code + slice(frame), after: 30 * millisecond)
            writer.write(code + slice(frame, second: true), after: 3 * millisecond)
        }
        _ = writer.wait(2 * millisecond)
        #expect(writer.outputs.suffix(2).map(\.part) == [.first, .last])
        #expect(Set(writer.outputs.suffix(2).map(\.arrival)).count == 1)
    }

    @Test(arguments: [(7, 2.0), (16, 0.3), (10, 5), (25, 1.2), (64, 20)])
    func aWriterOfSmallPiecesIsRecognisedWithoutBreakingUnits(piece: Int, milliseconds: Double) {
        var writer = Writer()
        var bytes = code + sequence + code + pictureSet + code + idr
        var expected = [sequence, pictureSet, idr]
        for frame in 1...40 {
            var gap = 33 * millisecond
            for start in stride(from: 0, to: bytes.count, by: piece) {
                writer.write(Array(bytes[start..<min(start + piece, bytes.count)]), after: gap)
                gap = Int64(milliseconds * 1e6)
            }
            bytes = code + slice(frame, length: 90 + frame % 7)
            expected.append(slice(frame, length: 90 + frame % 7))
        }
        writer.outputs += writer.parser.ended()
        #expect(writer.parser.brokenUnitCount == 0)
        #expect(writer.parser.strayByteCount == 0)
        #expect(writer.units == expected.dropLast())
        #expect(writer.outputs.allSatisfy { $0.part == .whole })
    }

    @Test func aWriterOfEqualPiecesIsFollowedWithinAMillisecond() {
        var writer = Writer()
        writer.write(code + sequence + code + pictureSet + code + idr, after: 0)
        var late = 0
        for frame in 1...40 {
            let bytes = code + slice(frame, length: 95)
            for start in stride(from: 0, to: bytes.count, by: 20) {
                let piece = Array(bytes[start..<min(start + 20, bytes.count)])
                writer.write(piece, after: (start == 0 ? 33 : 4) * millisecond)
            }
            let count = writer.outputs.count
            _ = writer.wait(millisecond)
            if writer.outputs.count == count { late += 1 }
        }
        #expect(late <= WriterTiming.learningSlices)
        #expect(writer.parser.brokenUnitCount == 0)
    }

    @Test func aUnitThatWasEndedTooEarlyIsCountedAndTheNextIsComplete() {
        var writer = wholeUnits(12)
        let bytes = code + slice(13, length: 80)
        writer.write(Array(bytes.prefix(30)), after: 33 * millisecond)
        writer.write(Array(bytes.dropFirst(30)), after: 9 * millisecond)
        writer.write(code + slice(14), after: 33 * millisecond)
        _ = writer.wait(40 * millisecond)
        #expect(writer.parser.brokenUnitCount == 1)
        #expect(writer.outputs.last?.units == [slice(14)])
        #expect(writer.parser.strayByteCount == bytes.count - 30)
    }

    /// `cat` writes like this with a full pipe on a busy machine.
    @Test func wholeBlocksFromAWriterAreWaitedFor() {
        var writer = Writer()
        var bytes = code + sequence + code + pictureSet + code + idr
        for frame in 1...100 { bytes += code + slice(frame, length: 90) }
        for start in stride(from: 0, to: bytes.count, by: 4096) {
            writer.write(Array(bytes[start..<min(start + 4096, bytes.count)]), after: 200 * millisecond)
        }
        writer.outputs += writer.parser.ended()
        #expect(writer.parser.brokenUnitCount == 0)
        #expect(writer.units == [sequence, pictureSet, idr] + (1...100).map { slice($0, length: 90) })
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"), arguments: SharedData.files(in: "h264"))
    func realStreamsInBlocksKeepEveryUnit(file: String) throws {
        let bytes = try #require(SharedData.bytes(file))
        var reference = H264.AnnexBSplitter()
        var expected: [[UInt8]] = []
        reference.push(bytes)
        while let unit = reference.next() ?? reference.flush() { expected.append(unit) }
        for (block, gap) in [(65_536, 0), (4096, 33), (1000, 2), (331, 0)] as [(Int, Int64)] {
            var writer = Writer()
            for start in stride(from: 0, to: bytes.count, by: block) {
                writer.write(Array(bytes[start..<min(start + block, bytes.count)]), after: gap * millisecond)
            }
            writer.outputs += writer.parser.ended()
            // Pieces with long pauses may break a unit before the writer is recognised; such units are counted.
            if writer.parser.brokenUnitCount == 0 {
                #expect(writer.units == expected, "blocks of \(block)")
            } else {
                #expect(gap > 0 && writer.parser.brokenUnitCount <= 2, "blocks of \(block)")
            }
        }
    }
}

@Suite struct PipeTimelineTests {
    @Test func timesAreArrivalTimesAndRiseByAtLeastOneTick() {
        var timeline = PipeTimeline()
        let sets = H264.ParameterSetTracker()
        let ticks = [0, 33_000_000, 33_000_000, 20_000_000, 70_000_000].map {
            timeline.times(ofFrameAt: $0, slice: nil, in: sets).decode.ticks
        }
        #expect(ticks == [0, 2970, 2971, 2972, 6300])
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func reorderedFramesArePresentedInOrderOneIntervalApart() throws {
        let units = try published(SharedData.bytes("h264/VID_1280x720_cabac_temporal_direct.264") ?? [])
        #expect(units.count == 300)
        #expect(units.allSatisfy { $0.presentationTime.ticks >= $0.decodeTime.ticks })
        #expect(zip(units, units.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
        #expect(Set(units.map(\.presentationTime.ticks)).count == 300)
        #expect(zip(units, units.dropFirst()).contains { $0.presentationTime.ticks > $1.presentationTime.ticks })
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func aPipedFileIsPacedAfterItsFirstSecond() throws {
        let units = try published(SharedData.bytes("h264/BA1_FT_C.264") ?? [])
        let last = try #require(units.last), first = try #require(units.first)
        // 299 frames at 25 per second: the first 26 at once.
        let seconds = Double(last.decodeTime.ticks - first.decodeTime.ticks) / 90_000
        #expect((10.5...11.5).contains(seconds))
        #expect(first.isKeyframe)
    }

    /// The units published for a burst of `bytes`, on a clock without waiting.
    private func published(_ bytes: [UInt8]) throws -> [AccessUnit] {
        let now = VirtualClock()
        var units: [AccessUnit] = []
        withoutActuallyEscaping({ units.append($0) }) { publish in
            var publisher = PipePublisher(
                epoch: MonotonicTime(nanoseconds: 0), clock: now.clock, announce: { _ in }, publish: publish)
            for start in stride(from: 0, to: bytes.count, by: 65_536) {
                let end = min(start + 65_536, bytes.count)
                publisher.received(Array(bytes[start..<end]), afterGap: 0, unless: StopSignal())
            }
            publisher.ended(unless: StopSignal())
        }
        return units
    }
}
