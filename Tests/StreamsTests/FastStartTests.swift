import Media
import Testing

@testable import Streams

struct TimeCompressionTests {
    @Test func aHistoryThatOverflowsIsNotCompressed() {
        let compression = TimeCompression(first: .min, newest: .max, window: 18_000)
        for ticks in [Int64.min, -1, 0, .max - 1, .max] { #expect(compression(ticks) == ticks) }
    }

    @Test func theHistoryFitsTheWindowAndLiveTimesStay() {
        let compression = TimeCompression(first: 0, newest: 180_000, window: 18_000)
        #expect(compression(0) == 162_000)
        #expect(compression(90_000) == 171_000)
        #expect(compression(180_000) == 180_000)
        #expect(compression(183_000) == 183_000)
    }

    @Test func aShortHistoryIsNotStretched() {
        let compression = TimeCompression(first: 1_000, newest: 4_000, window: 18_000)
        for ticks in stride(from: Int64(1_000), through: 4_000, by: 100) { #expect(compression(ticks) == ticks) }
    }

    @Test func orderIsKeptForAnyTimes() {
        let compression = TimeCompression(first: -5, newest: 1 << 40, window: 18_000)
        var previous = Int64.min
        for ticks in stride(from: Int64(-5), through: 1 << 40, by: 1 << 30) {
            #expect(compression(ticks) >= previous)
            previous = compression(ticks)
        }
    }
}

struct FastStartTests {
    private let window: Int64 = 200_000_000

    /// IDR frames every `gop` frames, 40 ms apart, with audio beside each frame.
    private func history(frames: Int, gop: Int, byteCount: Int = 100) -> [AccessUnit] {
        var units: [AccessUnit] = []
        for index in 0..<frames {
            let milliseconds = Int64(index) * 40
            units.append(.frame(milliseconds, idr: index % gop == 0, byteCount: byteCount))
            units.append(.audio(milliseconds + 1))
        }
        return units
    }

    @Test func itStartsAtTheLastKeyframeAndEndsNow() throws {
        let fastStart = try #require(
            FastStart(history: history(frames: 130, gop: 100), leading: .video, window: window, limits: .init()))
        let frames = fastStart.units.filter { $0.track == TrackID(0) }
        #expect(frames.count == 30)
        #expect(frames.first?.isKeyframe == true)
        #expect(frames.last?.milliseconds == 5_160)
        #expect(frames.first?.milliseconds == 4_960)
    }

    /// RTMP counts milliseconds.
    @Test func framesKeepADistance() throws {
        let fastStart = try #require(
            FastStart(
                history: history(frames: 130, gop: 100), leading: .video, window: 10_000_000, distance: 1_000_000,
                limits: .init()))
        let frames = fastStart.units.filter { $0.track == TrackID(0) }
        #expect(frames.map(\.milliseconds) == (0..<30).map { 5_131 + $0 })
        #expect(frames.allSatisfy { $0.decodeTime == $0.presentationTime })
    }

    @Test func audioStartsLive() throws {
        let fastStart = try #require(
            FastStart(history: history(frames: 130, gop: 100), leading: .video, window: window, limits: .init()))
        let audioUnits = fastStart.units.filter { $0.track == TrackID(1) }
        #expect(audioUnits.map(\.milliseconds) == [5_161])
    }

    @Test(arguments: [(frames: 119, count: 119), (frames: 120, count: 20), (frames: 101, count: 101)])
    func ifTheLastKeyframeIsYoungItStartsAtTheOneBefore(_ row: (frames: Int, count: Int)) throws {
        let fastStart = try #require(
            FastStart(
                history: history(frames: row.frames, gop: 100), leading: .video, window: window, limits: .init()))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == row.count)
    }

    /// Keyframes may be more frequent than players need frames.
    @Test func ifKeyframesAreFrequentItStartsSeveralBefore() throws {
        let fastStart = try #require(
            FastStart(
                history: history(frames: 103, gop: 10), leading: .video, window: window,
                limits: .init(minimumFrames: 45)))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == 53)
        #expect(fastStart.units.first?.isKeyframe == true)
    }

    @Test func itStartsAtTheYoungKeyframeIfTheOneBeforeMeansTooManyFrames() throws {
        let fastStart = try #require(
            FastStart(history: history(frames: 155, gop: 150), leading: .video, window: window, limits: .init()))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == 5)
    }

    @Test func itStartsAtTheYoungKeyframeIfTheOneBeforeMeansTooManyBytes() throws {
        let large = history(frames: 110, gop: 100, byteCount: 9_500)
        let fastStart = try #require(FastStart(history: large, leading: .video, window: window, limits: .init()))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == 10)
    }

    @Test func aHistoryThatIsTooLongOrTooLargeGivesNoFastStart() {
        #expect(
            FastStart(history: history(frames: 151, gop: 300), leading: .video, window: window, limits: .init()) == nil)
        let large = history(frames: 100, gop: 300, byteCount: 10_001)
        #expect(FastStart(history: large, leading: .video, window: window, limits: .init()) == nil)
        let mid = history(frames: 100, gop: 300).filter { !$0.isKeyframe || $0.track != TrackID(0) }
        #expect(FastStart(history: mid, leading: .video, window: window, limits: .init()) == nil)
    }

    @Test func reorderedFramesKeepTheirOrderAndDifferentTimes() throws {
        let times: [Int64] = [0, 160, 80, 40, 120, 320, 240, 200, 280, 480, 400]
        let units = times.map { AccessUnit.frame($0, idr: $0 == 0) }
        let fastStart = try #require(
            FastStart(history: units, leading: .video, window: 1_000, limits: .init(minimumFrames: 1)))
        let compressed = fastStart.units.map(\.presentationTime.ticks)
        #expect(Set(compressed).count == times.count)
        let order = times.indices.sorted { times[$0] < times[$1] }
        #expect(order.map { compressed[$0] } == compressed.sorted())
        #expect(fastStart.compression?(440 * 90) ?? 0 <= 480 * 90)
    }

    @Test func decodeTimesAscendIntoLiveAndAreNeverLaterThanPresentation() throws {
        // Decoding order of a stream with two B-frames; 80 ms between decoding and presentation of a reference frame.
        let times: [Int64] = [80, 200, 120, 160, 320, 240, 280, 440, 360, 400]
        let units = times.enumerated().map { index, time in
            AccessUnit.frame(time, idr: index == 0).at(
                presentationTime: MediaTime(ticks: time * 90, rate: .video),
                decodeTime: MediaTime(ticks: Int64(index) * 40 * 90, rate: .video))
        }
        let fastStart = try #require(
            FastStart(history: units, leading: .video, window: 100_000_000, limits: .init(minimumFrames: 1)))
        let decode = fastStart.units.map(\.decodeTime.ticks)
        #expect(zip(decode, decode.dropFirst()).allSatisfy { $0 < $1 })
        #expect(decode.last == units.last?.decodeTime.ticks)
        #expect(fastStart.units.allSatisfy { $0.decodeTime.ticks <= $0.presentationTime.ticks })
        #expect((decode.last ?? 0) - (decode.first ?? 0) <= 100 * 90)
    }

    @Test func audioAloneStartsWithTheNewestUnit() throws {
        let fastStart = try #require(
            FastStart(history: (0..<9).map { .audio($0 * 21) }, leading: .audio, window: window, limits: .init()))
        #expect(fastStart.units.map(\.milliseconds) == [168])
        #expect(fastStart.compression == nil)
    }
}
