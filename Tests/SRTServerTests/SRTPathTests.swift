import CSRT
import Media
import RateControl
import Testing

@testable import SRTServer

/// What the path to a peer carries, from the statistics of a simulated connection in virtual time.
struct SRTPathTests {
    @Test func aPathThatCarriesEnoughIsUnconstrained() {
        var connection = SimulatedConnection(carrying: 3_000)
        connection.run(seconds: 10)
        #expect(connection.estimate == PathEstimate(rate: .kilobits(2_000), reason: .unconstrained))
    }

    /// The encoder follows the estimate, so the queue that has grown is empty afterwards.
    @Test(arguments: [400, 800, 1_500] as [Int64])
    func aPathThatCarriesLessLowersTheEstimateUntilItsQueueIsEmpty(kilobits: Int64) {
        var connection = SimulatedConnection(carrying: 3_000)
        connection.run(seconds: 5)
        connection.carriedKilobits = kilobits
        connection.run(seconds: 2)
        #expect(connection.estimate.rate < .kilobits(kilobits), "\(connection.estimate)")
        connection.run(seconds: 3)
        #expect(connection.bufferMilliseconds < 100, "\(connection.bufferMilliseconds) ms, \(connection.estimate)")
        #expect(connection.estimate.rate > .kilobits(kilobits / 3), "\(connection.estimate)")
    }

    /// The queue of a path that carries a tenth less grows slowly, and so does the round trip with it.
    @Test func aQueueThatGrowsSlowlyLowersTheEstimate() {
        var connection = SimulatedConnection(carrying: 3_000)
        connection.run(seconds: 5)
        connection.carriedKilobits = 1_800
        var longest: Int64 = 0
        connection.run(seconds: 5) { longest = max(longest, $0.bufferMilliseconds) }
        #expect(longest < 300, "the queue grew to \(longest) ms")
        #expect(connection.estimate.rate < .kilobits(1_800), "\(connection.estimate)")
    }

    @Test func aPathThatCarriesNothingLowersTheEstimateToTheMinimum() {
        var connection = SimulatedConnection(carrying: 3_000)
        connection.run(seconds: 5)
        connection.carriedKilobits = 0
        connection.run(seconds: 2)
        #expect(connection.estimate.rate == .kilobits(100), "\(connection.estimate)")
    }

    @Test(arguments: [0, 500] as [Int64])
    func theEstimateRisesAgainWithThePath(kilobits: Int64) {
        var connection = SimulatedConnection(carrying: 3_000)
        connection.run(seconds: 5)
        connection.carriedKilobits = kilobits
        connection.run(seconds: 3)
        let lowest = connection.estimate.rate
        #expect(lowest < .kilobits(500))
        connection.carriedKilobits = 3_000
        connection.run(seconds: 15)
        #expect(connection.estimate.rate > lowest, "\(connection.estimate)")
        connection.run(seconds: 45)
        #expect(connection.estimate == PathEstimate(rate: .kilobits(2_000), reason: .unconstrained))
    }

    /// libsrt sends lost packets again. What comes behind one is not acknowledged before it has come.
    @Test(arguments: [20, 100, 200, 400] as [Int64])
    func lossAloneIsNoCongestion(roundTripMilliseconds: Int64) {
        var connection = SimulatedConnection(carrying: 3_000, roundTripMilliseconds: roundTripMilliseconds)
        connection.lossInterval = 50
        var reasons: Set<RateReason> = []
        connection.run(seconds: 30) { reasons.insert($0.estimate.reason) }
        #expect(reasons == [.unconstrained])
    }

    @Test func theEstimateStaysWithinChangedLimits() {
        var connection = SimulatedConnection(carrying: 3_000)
        connection.run(seconds: 1)
        let limits = RateLimits(minimum: .kilobits(100), maximum: .kilobits(700))
        connection.path.change(limits)
        #expect(connection.estimate.rate == .kilobits(700))
    }
}

/// A connection of libsrt over a path with a long queue: a sender that follows its own estimate, which is between 100 kbit/s and 2 Mbit/s.
private struct SimulatedConnection {
    /// What was sent in one step, and is not acknowledged.
    private struct Part {
        let sent: Int64
        let byteCount: Int
        let lossCount: Int
        /// When it is acknowledged; `nil` while it waits in the network.
        var acknowledged: Int64?
    }

    private static let stepMilliseconds: Int64 = 10
    /// libsrt's default.
    private static let leastLatencyMilliseconds: Int64 = 120
    private static let maximumLagMilliseconds: Int64 = 500

    var path = SRTPath(limits: RateLimits(minimum: .kilobits(100), maximum: .kilobits(2_000)))
    /// What the path carries.
    var carriedKilobits: Int64
    /// Each part whose number is divisible by it is lost, and every other one of these twice; 0 if none is.
    var lossInterval = 0
    private let roundTripMilliseconds: Int64
    private let latencyMilliseconds: Int64
    private var smoothedRoundTrip: Double
    private var now: Int64 = 0
    private var partCount = 0
    private var parts: [Part] = []
    /// Bytes that the path can carry at once.
    private var credit = 0
    private var takenByteCount = 0
    /// Media that libsrt has not been given, because the peer is too far behind.
    private var waitingByteCount = 0
    private var waitingMilliseconds: Int64 = 0
    private var isHeld = false

    init(carrying kilobits: Int64, roundTripMilliseconds: Int64 = 20) {
        (carriedKilobits, self.roundTripMilliseconds) = (kilobits, roundTripMilliseconds)
        smoothedRoundTrip = Double(roundTripMilliseconds)
        // Four round trips, as docs/srt.md advises.
        latencyMilliseconds = max(Self.leastLatencyMilliseconds, 4 * roundTripMilliseconds)
    }

    var estimate: PathEstimate { path.estimate }
    /// The duration of the send buffer.
    var bufferMilliseconds: Int64 { (parts.last?.sent ?? 0) - (parts.first?.sent ?? 0) }

    /// - Parameter each: called after each observation.
    mutating func run(seconds: Int64, each: (Self) -> Void = { _ in }) {
        let end = now + seconds * 1_000
        while now < end {
            now += Self.stepMilliseconds
            send()
            carry()
            acknowledge()
            guard now % 50 == 0 else { continue }
            observe()
            each(self)
        }
    }

    private mutating func send() {
        waitingByteCount += Int(estimate.rate.bitsPerSecond * Self.stepMilliseconds / 8_000)
        waitingMilliseconds += Self.stepMilliseconds
        let limit = Self.maximumLagMilliseconds + latencyMilliseconds
        let wasHeld = isHeld
        isHeld = bufferMilliseconds > (wasHeld ? latencyMilliseconds / 2 : limit)
        guard !isHeld else { return }
        // The sender skips to a keyframe.
        if wasHeld { waitingByteCount = min(waitingByteCount, 10_000) }
        partCount += 1
        let isLost = lossInterval > 0 && partCount.isMultiple(of: lossInterval)
        let isLostTwice = isLost && partCount.isMultiple(of: 2 * lossInterval)
        parts.append(
            Part(sent: now, byteCount: waitingByteCount, lossCount: isLostTwice ? 2 : isLost ? 1 : 0))
        takenByteCount += waitingByteCount
        (waitingByteCount, waitingMilliseconds) = (0, 0)
    }

    private mutating func carry() {
        credit += Int(carriedKilobits * Self.stepMilliseconds / 8)
        while let index = parts.firstIndex(where: { $0.acknowledged == nil }), parts[index].byteCount <= credit {
            credit -= parts[index].byteCount
            // The report of a loss and what is sent again take one more round trip.
            let repair = Int64(parts[index].lossCount) * (roundTripMilliseconds + Self.stepMilliseconds)
            parts[index].acknowledged = now + roundTripMilliseconds + repair
        }
        if parts.last?.acknowledged != nil { credit = 0 }
    }

    private mutating func acknowledge() {
        while let time = parts.first?.acknowledged, time <= now {
            parts.removeFirst()
            let queued = parts.filter { $0.acknowledged == nil }.reduce(0) { $0 + $1.byteCount }
            let sample = Double(roundTripMilliseconds) + Double(queued) * 8 / Double(max(1, carriedKilobits))
            // libsrt smooths it so.
            smoothedRoundTrip += (sample - smoothedRoundTrip) / 8
        }
    }

    private mutating func observe() {
        var statistics = apus_srt_statistics()
        statistics.round_trip_milliseconds = smoothedRoundTrip
        statistics.send_buffer_milliseconds = Int32(bufferMilliseconds)
        statistics.send_buffer_bytes = Int32(parts.reduce(0) { $0 + $1.byteCount })
        path.observe(
            SRTStatistics(statistics), takenByteCount: UInt64(takenByteCount),
            waiting: isHeld ? waitingMilliseconds * 1_000_000 : 0, at: MonotonicTime(nanoseconds: now * 1_000_000))
    }
}

extension DataRate {
    fileprivate static func kilobits(_ count: Int64) -> DataRate { DataRate(bitsPerSecond: count * 1_000) }
}
