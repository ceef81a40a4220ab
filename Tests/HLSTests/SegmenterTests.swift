import MP4
import Media
import Testing

@testable import HLS

/// What becomes segments and parts.
struct SegmenterTests {
    @Test func segmentsBeginAtKeyframes() {
        var recording = Recording()
        recording.play(5_200)
        #expect(recording.durations == [1_000, 1_000, 1_000, 1_000, 1_000])
        #expect(recording.segmenter.segments.map(\.number) == [0, 1, 2, 3, 4])
        #expect(recording.segmenter.segments.allSatisfy { $0.parts.first?.isIndependent == true })
    }

    @Test func partsHaveTheTargetDurationAndNoMore() throws {
        for interval in [16, 20, 33, 40, 41, 66, 100] as [Int64] {
            var recording = Recording()
            recording.play(9_000, interval: interval, group: interval * (1_000 / interval))
            let target = try #require(recording.segmenter.timing).partTarget
            for segment in recording.segmenter.segments {
                #expect(segment.parts.allSatisfy { $0.duration <= target }, "\(interval)")
                #expect(segment.parts.dropLast().allSatisfy { $0.duration * 100 >= target * 85 }, "\(interval)")
            }
        }
    }

    @Test func partsAreWholeInSpiteOfJitter() throws {
        var recording = Recording()
        var isLate = false
        for index in 0..<250 as Range<Int64> {
            recording.frame(isKeyframe: index % 25 == 0, at: index * 40 + (isLate ? 9 : 0))
            isLate.toggle()
        }
        let target = try #require(recording.segmenter.timing).partTarget
        for segment in recording.segmenter.segments {
            #expect(segment.parts.allSatisfy { $0.duration <= target })
            #expect(segment.parts.dropLast().allSatisfy { $0.duration * 100 >= target * 85 })
        }
    }

    @Test func aPartIsOneFragmentOfItsFrames() throws {
        var recording = Recording([Recording.video, Recording.audio])
        for index in 0..<60 as Range<Int64> {
            recording.frame(isKeyframe: index % 25 == 0, at: index * 40)
            recording.sound(at: index * 40 + 5)
        }
        let segment = try #require(recording.segmenter.segment(0))
        #expect(segment.parts.map { count(of: "moof", in: $0.bytes) } == [1, 1, 1, 1, 1])
        #expect(segment.parts.map { count(of: "traf", in: $0.bytes) } == [2, 2, 2, 2, 2])
        #expect(segment.byteCount == segment.parts.reduce(0) { $0 + $1.bytes.count })
    }

    private func count(of box: String, in bytes: [UInt8]) -> Int {
        let name = Array(box.utf8)
        return bytes.indices.dropLast(3).count { bytes[$0..<($0 + 4)].elementsEqual(name) }
    }

    @Test func anEncoderIsAskedForKeyframesAtMultiplesOfTheDuration() {
        var recording = Recording { $0.keyframes = .onRequest }
        recording.now = 370
        recording.encode(8_000)
        let starts = recording.segmenter.segments.compactMap(\.captured).map {
            ($0.unixNanoseconds - Recording.epoch) / 1_000_000 % 1_000
        }
        #expect(starts.dropFirst(2).allSatisfy { $0 < 40 || $0 > 960 }, "\(starts)")
        #expect(recording.segmenter.timing?.targetSeconds == 1)
    }

    /// Two renditions with other frame rates, which begin at other times.
    @Test func renditionsAreAlignedInMediaTime() {
        let starts = [(370, 40), (1_410, 66)].map { start, interval in
            var recording = Recording { $0.keyframes = .onRequest }
            recording.now = Int64(start)
            recording.encode(8_000, interval: Int64(interval))
            return recording.segmenter.segments.suffix(3).compactMap(\.captured).map {
                (($0.unixNanoseconds - Recording.epoch) / 1_000_000 + 100) / 1_000
            }
        }
        #expect(starts[0].last == starts[1].last.map { $0 - 1 })
        #expect(starts.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $1 == $0 + 1 } }, "\(starts)")
    }

    @Test func aSegmentIsNeverLongerThanPromised() throws {
        var recording = Recording()
        recording.play(4_000)
        // From now on a keyframe every four seconds.
        recording.play(12_000, group: 4_000)
        let timing = try #require(recording.segmenter.timing)
        #expect(timing.targetSeconds == 1)
        #expect(recording.segmenter.segments.allSatisfy { ($0.duration + 500_000_000) / 1_000_000_000 <= 1 })
        #expect(recording.durations.reduce(0, +) >= 14_500)
        #expect(recording.segmenter.segments.contains { $0.parts.first?.isIndependent == false })
        // What begins without a keyframe ends at the next one.
        #expect(recording.segmenter.segments.filter { $0.parts[0].isIndependent }.count == 7)
    }

    @Test(arguments: [(1_000, 1), (1_960, 2), (2_480, 2), (4_000, 4), (30_000, 10)])
    func theTargetDurationFollowsTheSourcesKeyframes(group: Int64, seconds: Int) {
        var recording = Recording()
        recording.play(31_000, group: group)
        #expect(recording.segmenter.timing?.targetSeconds == seconds)
    }

    @Test func audioAloneIsDividedByTime() {
        var recording = Recording([Recording.audio])
        for index in 0..<300 as Range<Int64> { recording.sound(at: index * 64 / 3) }
        #expect(recording.durations.dropFirst().allSatisfy { (980...1_022).contains($0) }, "\(recording.durations)")
        #expect(recording.segmenter.segments.allSatisfy { $0.parts.allSatisfy { $0.isIndependent } })
    }

    @Test func audioOfAVideoCanBeHadAlone() throws {
        var recording = Recording([Recording.video, Recording.audio]) { $0.kinds = [.audio] }
        for index in 0..<80 as Range<Int64> {
            recording.frame(isKeyframe: index % 25 == 0, at: index * 40)
            recording.sound(at: index * 40)
        }
        #expect(recording.segmenter.initSegment?.codecs == ["mp4a.40.2"])
        #expect(recording.segmenter.segments.count >= 2)
    }

    @Test func anotherInitSegmentIsADiscontinuity() throws {
        var recording = Recording()
        recording.play(2_200)
        recording.announce([Recording.video, Recording.audio])
        recording.play(2_200)
        let numbers = recording.segmenter.segments.map(\.initNumber)
        #expect(numbers == [1, 1, 1, 2, 2])
        #expect(recording.segmenter.segments.map(\.isDiscontinuous) == [false, false, false, true, false])
        #expect(recording.segmenter.initSegments[1]?.codecs.count == 1)
        #expect(recording.segmenter.initSegments[2]?.codecs.count == 2)
    }

    @Test func theSameInitSegmentIsNoDiscontinuity() {
        var recording = Recording()
        recording.play(2_200)
        recording.announce([Recording.video])
        recording.play(2_200)
        #expect(!recording.segmenter.segments.contains { $0.isDiscontinuous })
    }

    @Test func anAbsentSourceLeavesGapsUpToItsReturn() throws {
        var recording = Recording()
        recording.play(3_000)
        recording.segmenter.passed(10_000_000_000)
        recording.now = 18_200
        recording.play(2_000)
        let gaps = recording.segmenter.segments.filter { $0.isGap }
        #expect(gaps.reduce(0) { $0 + $1.duration } == 15_200_000_000)
        let index = try #require(recording.segmenter.segments.lastIndex { $0.isGap })
        let next = recording.segmenter.segments[index + 1]
        #expect(next.captured?.unixNanoseconds == Recording.epoch + 18_200_000_000)
        #expect(!next.isDiscontinuous)
        let numbers = recording.segmenter.segments.map(\.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test func otherTracksAfterAnAbsenceBeginWithTheirMedia() throws {
        var recording = Recording()
        recording.play(3_000)
        recording.segmenter.passed(10_000_000_000)
        recording.announce([Recording.video, Recording.audio])
        recording.now = 12_200
        recording.play(2_000)
        let segments = recording.segmenter.segments
        #expect(segments.filter(\.isGap).allSatisfy { $0.initNumber == 1 && !$0.isDiscontinuous })
        let next = try #require(segments.first { $0.initNumber == 2 })
        #expect(!next.isGap && next.isDiscontinuous)
    }

    @Test func nothingIsMissingBehindTheEnd() {
        var recording = Recording()
        recording.play(3_400)
        recording.segmenter.finish()
        recording.segmenter.passed(60_000_000_000)
        #expect(recording.durations == [1_000, 1_000, 1_000, 400])
    }

    @Test func aShortPauseIsNoGap() {
        var recording = Recording()
        recording.play(3_400)
        recording.segmenter.passed(4_600_000_000)
        recording.now += 700
        recording.play(2_000)
        #expect(!recording.segmenter.segments.contains { $0.isGap })
    }

    @Test func anAbsenceOfADayIsBounded() {
        var recording = Recording()
        recording.play(3_000)
        recording.now = 86_400_000
        recording.play(3_000)
        #expect(recording.segmenter.segments.count < 40)
        #expect(recording.segmenter.edge.segment > 86_000)
    }

    @Test func aClockThatGoesBackIsADiscontinuity() {
        var recording = Recording()
        recording.now = 50_000
        recording.play(2_200)
        recording.now = 0
        recording.play(2_200)
        #expect(recording.segmenter.segments.count { $0.isDiscontinuous } == 1)
        #expect(!recording.segmenter.segments.contains { $0.isGap })
    }

    @Test func whatIsKeptIsBoundedByTime() {
        var recording = Recording { $0.window = 10_000_000_000 }
        recording.play(60_000)
        #expect(recording.durations.reduce(0, +) <= 10_000)
        #expect(recording.durations.count == 10)
    }

    @Test func whatIsKeptIsBoundedByBytes() {
        var recording = Recording { $0.maximumByteCount = 500_000 }
        for index in 0..<1_000 { recording.frame(isKeyframe: index % 25 == 0, at: Int64(index) * 40, byteCount: 4_000) }
        #expect(recording.segmenter.byteCount <= 600_000)
        recording.segmenter.trim(to: 0)
        #expect(recording.segmenter.segments.count == 2)
    }

    @Test func initSegmentsAreKeptAsLongAsTheirSegments() {
        var recording = Recording { $0.window = 5_000_000_000 }
        for index in 0..<20 {
            recording.play(1_200)
            recording.announce(index % 2 == 0 ? [Recording.video, Recording.audio] : [Recording.video])
        }
        #expect(recording.segmenter.initSegments.count < 8)
    }

    @Test func keptMediaAreFoundByTheirNames() throws {
        var recording = Recording { $0.firstNumber = 700 }
        recording.play(3_500)
        let segmenter = recording.segmenter
        #expect(segmenter.segment(699) == nil && segmenter.segment(703) == nil && segmenter.segment(.max) == nil)
        let parts = try #require(segmenter.segment(701)?.parts)
        #expect(segmenter.part(at: PlaylistPosition(segment: 701, part: 1))?.bytes == parts[1].bytes)
        #expect(segmenter.part(at: PlaylistPosition(segment: 701, part: parts.count)) == nil)
        #expect(segmenter.edge == PlaylistPosition(segment: 703, part: 2))
        #expect(segmenter.part(at: PlaylistPosition(segment: 703, part: 1)) != nil)
        #expect(segmenter.part(at: segmenter.edge) == nil)
    }
}
