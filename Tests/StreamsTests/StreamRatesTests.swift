import Media
import RateControl
import Streams
import Synchronization
import Testing

/// A stream tells its source's encoder what its viewers can receive.
@Suite struct StreamRatesTests {
    private final class EncodingSource: Streams.Source {
        let orders = Mutex<[EncoderOrder?]>([])
        let frames = Mutex<FrameFormat?>(nil)
        func requestKeyframe() {}
        func follow(_ order: EncoderOrder?) { orders.withLock { $0.append(order) } }
        var status: SourceStatus? {
            var status = SourceStatus()
            status.frames = frames.withLock { $0 }
            return status
        }
        var last: String? { orders.withLock { $0.last??.description } }
    }

    private static func rate(_ kilobits: Int64) -> DataRate { DataRate(bitsPerSecond: kilobits * 1000) }

    private let settings = EncoderRate.Settings(
        limits: RateLimits(minimum: rate(100), maximum: rate(3_000)), headerShare: 0)
    private let source = EncodingSource()
    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))

    private func update(_ kilobits: Int64, of stream: Streams.Stream? = nil, atMilliseconds time: Int64) {
        var viewers = ViewerRates()
        viewers.add(PathEstimate(rate: Self.rate(kilobits), reason: .growing))
        let stream = stream ?? self.stream
        stream.update(viewers, of: ObjectIdentifier(stream), at: MonotonicTime(nanoseconds: time * 1_000_000))
    }

    @Test func theLadderIsThatOfTheFramesThatTheSourceEncodes() {
        stream.attach(source)
        stream.setRates(settings)
        update(300, atMilliseconds: 0)
        #expect(source.last == "300 kbit/s", "the size is not known")
        source.frames.withLock { $0 = FrameFormat(width: 1280, height: 720, framesPerSecond: 30) }
        update(300, atMilliseconds: 300)
        #expect(source.last == "300 kbit/s, 1/2 of the frames, 1/2 of the size")
        // The source starts again.
        source.frames.withLock { $0 = nil }
        update(300, atMilliseconds: 600)
        #expect(source.last == "300 kbit/s, 1/2 of the frames, 1/2 of the size")
        #expect(source.orders.withLock { $0.count } == 3)
    }

    /// Browsers get a stream whose audio is encoded again; its video is that of the path.
    @Test func theViewersOfACompanionCount() {
        let companion = Streams.Stream(companionOf: stream)
        stream.attach(source)
        #expect(!companion.measuresPaths)
        stream.setRates(settings)
        #expect(companion.rates === stream.rates && companion.measuresPaths)
        update(300, of: companion, atMilliseconds: 0)
        #expect(source.last == "300 kbit/s")
        companion.removeRates(of: ObjectIdentifier(companion))
        #expect(source.last == "3.00 Mbit/s")
    }

    @Test func aChangedConfigurationKeepsTheFramesOfTheSource() {
        source.frames.withLock { $0 = FrameFormat(width: 1280, height: 720, framesPerSecond: 30) }
        stream.attach(source)
        stream.setRates(settings)
        update(300, atMilliseconds: 0)
        var frameRateOnly = settings
        frameRateOnly.extent = .frameRate
        stream.setRates(frameRateOnly)
        #expect(source.last == "300 kbit/s, 1/2 of the frames")
        stream.removeRates(of: ObjectIdentifier(stream))
        #expect(source.last == "3.00 Mbit/s")
        stream.setRates(nil)
        #expect(source.orders.withLock { $0.last } == .some(nil))
    }
}
