import Media
import Testing

@testable import Codecs

/// The output of filters for frames of 320×240, thirty a second.
@Suite struct VideoFilterTests {
    private func filter(_ chain: String) throws -> VideoFilter {
        try VideoFilter(chain, width: 320, height: 240, frameRate: .thirty)
    }

    private let pool = VideoFramePool(width: 320, height: 240)

    /// The number of a frame of `makeFrame(_:from:)`, modulo 64 because the content repeats.
    private func number(_ frame: VideoFrame) -> Int { Int(frame.luma[0, 0]) / 4 }

    @Test(arguments: ["null", "", "  ", "format=yuv420p", "[in]null[out]", "split[a][b];[a]nullsink;[b]null"])
    func aChainWithoutEffectIsBitExactAndKeepsTheTime(chain: String) throws {
        let filter = try filter(chain)
        #expect((filter.width, filter.height) == (320, 240))
        for index in 0..<5 {
            let drawn = try makeFrame(index, from: pool)
            let made = try filter.apply(drawn, at: time(index))
            try #require(made.count == 1)
            #expect(made[0].frame.isLike(drawn))
            #expect(made[0].time == time(index))
        }
    }

    @Test func unchangedFramesAreNotCopied() throws {
        let drawn = try makeFrame(0, from: pool)
        let made = try filter("null").apply(drawn, at: time(0))
        #expect(made.first?.frame.luma.base == drawn.luma.base)
    }

    @Test func timesKeepTheirClockRate() throws {
        let clock = try #require(ClockRate(hertz: 1_000_000_000))
        let times = (0..<10).map { MediaTime(ticks: 33_333_333 * ($0 + 7), rate: clock) }
        let kept = try filter("null")
        #expect(try times.flatMap { try kept.apply(makeFrame(0, from: pool), at: $0) }.map { $0.time } == times)
        let held = try filter("fps=30")
        let made = try times.flatMap { try held.apply(makeFrame(0, from: pool), at: $0) }.map { $0.time }
        #expect(made.count >= 9)
        for (shown, captured) in zip(made, times) {
            #expect(shown.rate == clock && abs(shown.ticks - captured.ticks) < 17_000_000)
        }
    }

    @Test(arguments: ["drawbox=c=white:t=fill", "negate", "vflip,drawbox=t=fill", "drawgrid=w=16"])
    func theInputFrameStaysUnchanged(chain: String) throws {
        let drawn = try makeFrame(3, from: pool)
        let copy = try makeFrame(3, from: VideoFramePool(width: 320, height: 240))
        let made = try filter(chain).apply(drawn, at: time(0))
        #expect(drawn.isLike(copy))
        #expect(made.first?.frame.isLike(copy) == false)
    }

    @Test func aReferencedFrameIsNotReused() throws {
        let filter = try filter("null")
        var drawn: VideoFrame? = try makeFrame(1, from: pool)
        let made = try filter.apply(#require(drawn), at: time(0))
        drawn = nil
        for index in 2..<6 { _ = try filter.apply(makeFrame(index, from: pool), at: time(index)) }
        #expect(number(made[0].frame) == 1)
    }

    /// A camera driver reuses its buffer in this way.
    @Test(arguments: ["fps=30", "null"])
    func memoryOfAnotherOwnerMayChangeAfterwards(chain: String) throws {
        let filter = try filter(chain)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 320 * 240 * 3 / 2, alignment: 64)
        defer { memory.deallocate() }
        var made: [(frame: VideoFrame, time: MediaTime)] = []
        for index in 0..<4 {
            memory.copyBytes(from: try makeFrame(index, from: pool).samples)
            let planes = [(0..<76_800, 320), (76_800..<96_000, 160), (96_000..<115_200, 160)].map {
                RawPlane(bytes: UnsafeRawBufferPointer(rebasing: memory[$0.0]), stride: $0.1)
            }
            let borrowed = try DecodedVideoFrame(.yuv420, width: 320, height: 240, planes: planes)
            made += try filter.apply(Scaler(width: 320, height: 240).scale(borrowed), at: time(index))
        }
        memory.copyBytes(from: repeatElement(0xEE, count: memory.count))
        #expect(made.count >= 3)
        #expect(made.map { number($0.frame) } == Array(0..<made.count))
    }

    @Test func atHalfTheRateEachFrameIsNearItsOwnTime() throws {
        let filter = try filter("fps=15")
        let made = try (0..<60).flatMap { try filter.apply(makeFrame($0, from: pool), at: time($0)) }
        #expect((29...30).contains(made.count))
        for (earlier, later) in zip(made, made.dropFirst()) {
            #expect(later.time.ticks - earlier.time.ticks == 6_000)
        }
        for (frame, shown) in made { #expect(abs(shown.ticks - time(number(frame)).ticks) <= 3_000) }
    }

    @Test func droppedFramesDoNotChangeTheTimesOfOthers() throws {
        let filter = try filter("select=not(mod(n\\,3))")
        let made = try (0..<30).map { try filter.apply(makeFrame($0, from: pool), at: time($0)) }
        for (index, frames) in made.enumerated() {
            #expect(frames.map { $0.time } == (index % 3 == 0 ? [time(index)] : []))
            #expect(frames.map { number($0.frame) } == (index % 3 == 0 ? [index] : []))
        }
    }

    @Test(arguments: [60, -5])
    func aGapIsNotFilledWithFrames(seconds: Int) throws {
        let filter = try filter("fps=30")
        let shift = seconds * 30
        let before = try (200..<210).flatMap { try filter.apply(makeFrame($0, from: pool), at: time($0)) }
        let after = try (210..<220).flatMap { try filter.apply(makeFrame($0, from: pool), at: time($0 + shift)) }
        #expect(before.count >= 9 && after.count >= 9)
        #expect(before.count + after.count <= 20)
        #expect(after.allSatisfy { $0.time.ticks >= time(210 + shift).ticks - 1_500 })
    }

    @Test func filtersThatFillAShortGapReturnOnlyTheNewestFrames() throws {
        let filter = try filter("fps=240")
        _ = try filter.apply(makeFrame(0, from: pool), at: time(0))
        let made = try filter.apply(makeFrame(30, from: pool), at: time(30))
        #expect(made.count == 16)
        let last = try #require(made.last)
        #expect(time(30).ticks - last.time.ticks <= 2 * 375)
    }

    @Test(arguments: [("scale=160:120", 160, 120), ("transpose=clock", 240, 320), ("crop=100:50", 100, 50)])
    func theSizeIsThatOfTheOutput(chain: String, width: Int, height: Int) throws {
        let filter = try filter(chain)
        #expect((filter.width, filter.height) == (width, height))
        let made = try filter.apply(makeFrame(0, from: pool), at: time(0))
        #expect(made.map { $0.frame.width } == [width] && made.map { $0.frame.height } == [height])
    }

    @Test func colourSurvivesConversionToRGBAndBack() throws {
        let drawn = try pool.take()
        drawn.luma.fill(x: 0..<320, y: 0..<240, with: 120)
        drawn.cb.fill(x: 0..<160, y: 0..<120, with: 90)
        drawn.cr.fill(x: 0..<160, y: 0..<120, with: 180)
        let made = try filter("format=rgb24").apply(drawn, at: time(0))
        let frame = try #require(made.first?.frame)
        for (sample, expected) in [(frame.luma[100, 100], 120), (frame.cb[50, 50], 90), (frame.cr[50, 50], 180)] {
            #expect(abs(Int(sample) - expected) <= 2)
        }
    }

    @Test func aThousandFramesReuseTheMemoryOfAFew() throws {
        let filter = try VideoFilter(
            "drawbox=t=fill:w=32:h=32,hqdn3d,transpose", width: 64, height: 48, frameRate: .thirty)
        let pool = VideoFramePool(width: 64, height: 48)
        var memory: Set<UnsafeMutablePointer<UInt8>> = []
        var held: [VideoFrame] = []
        for index in 0..<1000 {
            for (frame, _) in try filter.apply(makeFrame(index, from: pool), at: time(index)) {
                memory.insert(frame.luma.base)
                held = Array(held.suffix(2)) + [frame]
            }
        }
        #expect(held.count == 3)
        #expect(memory.count <= 16)
        #expect(pool.allocatedCount <= 4)
    }

    @Test func anEncoderAcceptsTheOutput() throws {
        let filter = try filter("vflip,transpose,drawbox=w=40:h=40:t=fill")
        var settings = smallSettings()
        (settings.width, settings.height) = (filter.width, filter.height)
        let encoder = try VideoEncoder(settings)
        for index in 0..<10 {
            for (frame, time) in try filter.apply(makeFrame(index, from: pool), at: time(index)) {
                let units = try encoder.encode(
                    frame, track: TrackID(0), presentationTime: time, forcingKeyframe: false)
                #expect(units.map(\.presentationTime) == [time])
            }
        }
    }
}
