import Media
import Testing

@testable import RateControl

private let high = FrameFormat(width: 1280, height: 720, framesPerSecond: 30)

@Suite struct EncoderLadderTests {
    private func ladder(
        _ format: FrameFormat = high, _ kilobits: Int64 = 3_000, _ extent: FrameReduction.Extent = .size
    ) -> EncoderLadder {
        EncoderLadder(for: format, bitrate: .kilobits(kilobits), extent: extent)
    }

    private struct Example: Sendable {
        let format: FrameFormat
        let kilobits: Int64
        /// The bitrates below which there are half of the frames, half of the size, and a quarter of it.
        let thresholds: [Int64]
    }

    private static let examples = [
        Example(format: high, kilobits: 3_000, thresholds: [829, 345, 82]),
        // A generous bitrate may fall further.
        Example(format: high, kilobits: 10_000, thresholds: [829, 345, 82]),
        Example(
            format: FrameFormat(width: 1920, height: 1080, framesPerSecond: 30), kilobits: 4_000,
            thresholds: [1_866, 777, 186]),
        // A bitrate that was configured low is no reason.
        Example(
            format: FrameFormat(width: 3840, height: 2160, framesPerSecond: 30), kilobits: 4_000,
            thresholds: [2_000, 1_000, 400]),
        // Less than 160×120 pixels, or less than 7.5 frames a second, is not enough.
        Example(
            format: FrameFormat(width: 640, height: 360, framesPerSecond: 30), kilobits: 1_000, thresholds: [207, 86]),
        Example(format: FrameFormat(width: 256, height: 144, framesPerSecond: 30), kilobits: 500, thresholds: [33]),
        Example(format: FrameFormat(width: 1280, height: 720, framesPerSecond: 10), kilobits: 1_000, thresholds: []),
    ]

    @Test(arguments: examples.indices)
    func stepsDependOnTheBitsPerPixel(number: Int) {
        let example = Self.examples[number]
        let rungs = ladder(example.format, example.kilobits).rungs
        #expect(rungs.map { Int64($0.share * Double(example.kilobits)) } == example.thresholds)
        #expect(rungs.map(\.reduction.frameRateDivisor) == rungs.map { _ in 2 })
        #expect(rungs.map(\.reduction.sizeDivisor) == Array([1, 2, 4].prefix(rungs.count)))
    }

    @Test func theConfigurationLimitsWhatIsReduced() {
        #expect(ladder(high, 3_000, .bitrate).rungs.isEmpty)
        #expect(ladder(high, 3_000, .frameRate).rungs.map(\.reduction) == [FrameReduction(frameRateDivisor: 2)])
    }

    @Test func withoutAKnownFormatOnlyTheBitrateIsReduced() {
        var encoder = EncoderRate(.init(limits: .simulated, headerShare: 0))
        var one = ViewerRates()
        one.add(PathEstimate(100))
        #expect(encoder.update(&one, at: .milliseconds(0)) == EncoderOrder(bitrate: .kilobits(100)))
    }

    @Test func sidesStayEven() {
        let third = FrameReduction(frameRateDivisor: 3, sizeDivisor: 2)
        let format = FrameFormat(width: 854, height: 480, framesPerSecond: 30)
        #expect(third.applied(to: format) == FrameFormat(width: 426, height: 240, framesPerSecond: 10))
        #expect(FrameReduction.none.applied(to: format) == format)
    }
}

@Suite struct LadderPositionTests {
    private let ladder = EncoderLadder(for: high, bitrate: .kilobits(3_000), extent: .size)

    /// The times and depths of all changes; `bitrate` gives the kilobits per second at a time in tenths of a second.
    private func changes(for seconds: Int, _ bitrate: (Int) -> Double) -> [(second: Double, depth: Int)] {
        var position = LadderPosition()
        return (0..<seconds * 10).compactMap { tenth in
            let former = position.depth
            position.update(share: bitrate(tenth) / 3_000, on: ladder, at: .milliseconds(Int64(tenth) * 100))
            return position.depth == former ? nil : (Double(tenth) / 10, position.depth)
        }
    }

    @Test func itGoesDownAtOnceAndUpAfterFiveSeconds() {
        let changes = changes(for: 20) { $0 < 10 ? 3_000 : $0 < 20 ? 300 : 3_000 }
        #expect(changes.map(\.second) == [1, 7])
        #expect(changes.map(\.depth) == [2, 0])
    }

    @Test func itStaysWhileTheBitrateIsJustAboveARung() {
        let changes = changes(for: 60) { $0 < 10 ? 300 : 345 * 1.2 }
        #expect(changes.map(\.depth) == [2])
    }

    @Test func aShortDipBeginsTheWaitAnew() {
        let changes = changes(for: 20) { $0 < 10 || $0 == 50 ? 300 : 700 }
        #expect(changes.map(\.second) == [0, 10.1])
        #expect(changes.map(\.depth) == [2, 1])
    }

    @Test func climbsThatAreTakenBackBecomeRare() {
        // The path never carries half of the frames in their size.
        var position = LadderPosition()
        var climbs: [Int] = []
        for tenth in 0..<6_000 {
            let former = position.depth
            position.update(
                share: (former == 2 ? 500 : 300) / 3_000, on: ladder, at: .milliseconds(Int64(tenth) * 100))
            if position.depth < former { climbs.append(tenth / 10) }
        }
        #expect(climbs == [5, 15, 35, 75, 135, 196, 256, 316, 376, 436, 497, 557])
    }

    @Test func anotherLadderIsFollowed() {
        var position = LadderPosition()
        position.update(share: 0.1, on: ladder, at: .milliseconds(0))
        #expect(position.depth == 2)
        position.update(share: 0.1, on: .none, at: .milliseconds(100))
        #expect(position.depth == 0)
    }
}
