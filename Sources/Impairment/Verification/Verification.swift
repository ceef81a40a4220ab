/// Compares what arrived of a series of packets with what the settings of the direction request.
///
/// The series must be the first packets of the direction. A setting is checked if nothing else disturbs its measurement: loss
/// without a rate limit and without `at`, for example. Loss, reordering and interruption need packets at a constant rate; a rate
/// limit needs packets at a higher rate.
public struct Verification: Sendable {
    private let timetable: Timetable
    private let predictedLosses: [Int]
    private let lost: [Int]
    private let arrivals: [ProbeArrival]
    private let sentCount: Int
    private let intervalNanoseconds: Int64

    /// - Parameters:
    ///   - arrivals: In order of arrival.
    ///   - sentCount: The packets of the series.
    ///   - intervalNanoseconds: The time from one packet to the next, when sent.
    public init(
        _ timetable: Timetable, seed: UInt64, direction: Direction, arrivals: [ProbeArrival], sentCount: Int,
        intervalNanoseconds: Int64
    ) {
        self.timetable = timetable
        self.arrivals = arrivals
        self.sentCount = sentCount
        self.intervalNanoseconds = intervalNanoseconds
        var losses = LossProcess(seed: seed, direction: direction)
        let model = timetable.entries[0].settings.loss
        predictedLosses = (0..<sentCount).filter { _ in losses.isNextLost(by: model) }
        let arrived = Set(arrivals.map(\.number))
        lost = (0..<sentCount).filter { !arrived.contains($0) }
    }

    /// The numbers of the packets that did not arrive.
    public var lostNumbers: [Int] { lost }

    public var findings: [Finding] {
        guard arrivals.count > 1 else {
            return [Finding("packets that arrived", "", requested: Double(sentCount), measured: Double(arrivals.count))]
        }
        let settings = timetable.entries[0].settings
        guard timetable.entries.count == 1 else { return [interruption] }
        if let limit = settings.rateLimit { return [rate(limit), queue(limit, delay: settings.delayNanoseconds)] }
        return losses(settings.loss) + delay(settings) + reordering(settings.reordering)
    }

    private func losses(_ model: LossModel) -> [Finding] {
        let exact = Finding(lost: lost, predicted: predictedLosses)
        guard model.meanLoss > 0 else { return [exact] }
        let measured = 100 * Double(lost.count) / Double(sentCount)
        return [Finding("loss", "%", requested: 100 * model.meanLoss, measured: measured), exact]
    }

    /// Compares the median, because a pause of the host, of half a second for example, delays only the packets of its time. The
    /// jitter's distribution is symmetrical, so the median is its mean, too.
    private func delay(_ settings: Impairments) -> [Finding] {
        guard settings.delayNanoseconds > 0, settings.reordering == nil else { return [] }
        let delays = arrivals.map { Double($0.delayNanoseconds) / 1e6 }.sorted()
        let finding = Finding(
            "delay", "ms", requested: Double(settings.delayNanoseconds) / 1e6, measured: delays[delays.count / 2])
        guard settings.jitterNanoseconds > 0 else { return [finding] }
        let mean = delays.reduce(0, +) / Double(delays.count)
        let variance = delays.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(delays.count)
        let deviation = JitterCurve.standardDeviation * Double(settings.jitterNanoseconds) / 1e6
        return [
            finding,
            Finding("standard deviation", "ms", requested: deviation, measured: variance.squareRoot()),
        ]
    }

    private func reordering(_ reordering: Reordering?) -> [Finding] {
        guard let reordering else { return [] }
        var (highest, overtaken) = (-1, 0)
        for arrival in arrivals {
            if arrival.number < highest { overtaken += 1 }
            highest = max(highest, arrival.number)
        }
        let measured = 100 * Double(overtaken) / Double(arrivals.count)
        return [Finding("reordered", "%", requested: 100 * reordering.probability, measured: measured)]
    }

    private func rate(_ limit: RateLimit) -> Finding {
        let bits = 8 * arrivals.dropFirst().reduce(0) { $0 + $1.byteCount }
        let duration = arrivals[arrivals.count - 1].arrivedAt - arrivals[0].arrivedAt
        return Finding(
            "rate", "kbit/s", requested: Double(limit.bitsPerSecond) / 1e3,
            measured: Double(bits) / Double(duration) * 1e6)
    }

    /// The wait in the full queue: the mean of the second half of the series.
    private func queue(_ limit: RateLimit, delay: Int64) -> Finding {
        let full = arrivals.filter { $0.number >= sentCount / 2 }
        let sum = full.reduce(0) { $0 + Double($1.delayNanoseconds - delay) / 1e6 }
        let depth = Double(limit.queueByteCount) * 8 / Double(limit.bitsPerSecond) * 1e3
        return Finding("wait in the full queue", "ms", requested: depth, measured: sum / Double(max(full.count, 1)))
    }

    private var interruption: Finding {
        let ends = timetable.entries.dropFirst().map(\.startNanoseconds) + [Int64(sentCount) * intervalNanoseconds]
        let down = zip(timetable.entries, ends).reduce(into: 0.0) { sum, entry in
            if entry.0.settings.isDown { sum += Double(entry.1 - entry.0.startNanoseconds) / 1e6 }
        }
        let measured = Double(lost.count) * Double(intervalNanoseconds) / 1e6
        return Finding("interruption", "ms", requested: down, measured: measured)
    }
}
