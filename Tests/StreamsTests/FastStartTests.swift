import Media
import Testing

@testable import Streams

struct TimeCompressionTests {
    @Test func aHistoryLongerThanAnyIsNotSqueezed() {
        let compression = TimeCompression(first: .min, newest: .max, window: 18_000)
        for ticks in [Int64.min, -1, 0, .max - 1, .max] { #expect(compression(ticks) == ticks) }
    }

    @Test func theHistoryFitsTheWindowAndNowIsNow() {
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

    /// IDRs every `gop` pictures, 40 ms apart, sound beside each.
    private func history(pictures: Int, gop: Int, byteCount: Int = 100) -> [AccessUnit] {
        var units: [AccessUnit] = []
        for index in 0..<pictures {
            let milliseconds = Int64(index) * 40
            units.append(.picture(milliseconds, idr: index % gop == 0, byteCount: byteCount))
            units.append(.sound(milliseconds + 1))
        }
        return units
    }

    @Test func itStartsAtTheLastRandomAccessPointAndEndsNow() throws {
        let fastStart = try #require(
            FastStart(history: history(pictures: 130, gop: 100), leading: .video, window: window, limits: .init()))
        let pictures = fastStart.units.filter { $0.track == TrackID(0) }
        #expect(pictures.count == 30)
        #expect(pictures.first?.isKeyframe == true)
        #expect(pictures.last?.milliseconds == 5_160)
        #expect(pictures.first?.milliseconds == 4_960)
    }

    @Test func soundStartsLive() throws {
        let fastStart = try #require(
            FastStart(history: history(pictures: 130, gop: 100), leading: .video, window: window, limits: .init()))
        let sounds = fastStart.units.filter { $0.track == TrackID(1) }
        #expect(sounds.map(\.milliseconds) == [5_161])
    }

    @Test(arguments: [(pictures: 119, count: 119), (pictures: 120, count: 20), (pictures: 101, count: 101)])
    func aYoungRandomAccessPointIsLeftForTheOneBefore(_ row: (pictures: Int, count: Int)) throws {
        let fastStart = try #require(
            FastStart(
                history: history(pictures: row.pictures, gop: 100), leading: .video, window: window, limits: .init()))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == row.count)
    }

    @Test func theOneBeforeIsNotWorthMoreFramesThanAPlayerCanDecode() throws {
        let fastStart = try #require(
            FastStart(history: history(pictures: 155, gop: 150), leading: .video, window: window, limits: .init()))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == 5)
    }

    @Test func theOneBeforeIsNotWorthMoreBytesThanTheLimit() throws {
        let large = history(pictures: 110, gop: 100, byteCount: 9_500)
        let fastStart = try #require(FastStart(history: large, leading: .video, window: window, limits: .init()))
        #expect(fastStart.units.count { $0.track == TrackID(0) } == 10)
    }

    @Test func aHistoryThatIsTooLongOrTooLargeMakesNoPrelude() {
        #expect(
            FastStart(history: history(pictures: 151, gop: 300), leading: .video, window: window, limits: .init())
                == nil)
        let large = history(pictures: 100, gop: 300, byteCount: 10_001)
        #expect(FastStart(history: large, leading: .video, window: window, limits: .init()) == nil)
        let mid = history(pictures: 100, gop: 300).filter { !$0.isKeyframe || $0.track != TrackID(0) }
        #expect(FastStart(history: mid, leading: .video, window: window, limits: .init()) == nil)
    }

    @Test func reorderedPicturesKeepTheirOrderAndTimesOfTheirOwn() throws {
        let times: [Int64] = [0, 160, 80, 40, 120, 320, 240, 200, 280, 480, 400]
        let units = times.map { AccessUnit.picture($0, idr: $0 == 0) }
        let fastStart = try #require(
            FastStart(history: units, leading: .video, window: 1_000, limits: .init(minimumFrames: 1)))
        let compressed = fastStart.units.map(\.presentationTime.ticks)
        #expect(Set(compressed).count == times.count)
        let order = times.indices.sorted { times[$0] < times[$1] }
        #expect(order.map { compressed[$0] } == compressed.sorted())
        #expect(fastStart.compression?(440 * 90) ?? 0 <= 480 * 90)
    }

    @Test func decodeTimesAscendIntoWhatFollowsAndAreNeverLaterThanPresentation() throws {
        // Decoding order of a stream with two B-pictures; 80 ms between decoding and presentation of a reference.
        let times: [Int64] = [80, 200, 120, 160, 320, 240, 280, 440, 360, 400]
        let units = times.enumerated().map { index, time in
            AccessUnit.picture(time, idr: index == 0).at(
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

    @Test func ofSoundAloneTheNewestUnitIsEnough() throws {
        let fastStart = try #require(
            FastStart(history: (0..<9).map { .sound($0 * 21) }, leading: .audio, window: window, limits: .init()))
        #expect(fastStart.units.map(\.milliseconds) == [168])
        #expect(fastStart.compression == nil)
    }
}
