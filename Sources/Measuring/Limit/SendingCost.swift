/// One round of one sending method.
struct SendingRound: Equatable, Sendable {
    var sent = SentCount()
    var received = ReceivedCount()
    /// Processor time of the sending thread in its send calls.
    var processorNanoseconds: Int64 = 0
    /// From the first send until the last byte was received.
    var nanoseconds: Int64 = 0

    var processorSecondsPerGigabyte: Double {
        // Nanoseconds per byte are seconds per gigabyte.
        sent.bytes > 0 ? Double(processorNanoseconds) / Double(sent.bytes) : 0
    }
}

/// The cost of one sending method, over all rounds. The property names are JSON keys.
public struct SendingCost: Codable, Equatable, Sendable {
    /// Processor time of the sending thread in its send calls: the median of the rounds, the cheapest, the dearest.
    public var processorSecondsPerGigabyte: Double
    public var cheapestRound: Double
    public var dearestRound: Double
    /// The rate at which the receivers received.
    public var gigabitsPerSecond: Double
    /// The bytes that the kernel accepted, including headers.
    public var bytes: UInt64
    /// The bytes that the kernel accepted and no receiver received.
    public var lostBytes: UInt64
    /// The bytes that the kernel did not accept.
    public var refusedBytes: UInt64
    public var systemCalls: UInt64
    /// Processor time of the receivers' threads.
    public var receivingSecondsPerGigabyte: Double

    /// - Parameter rounds: at least one.
    init(_ rounds: [SendingRound]) {
        var sent = SentCount()
        for round in rounds { sent += round.sent }
        let received = rounds.reduce(0) { $0 + $1.received.bytes }
        let costs = rounds.map(\.processorSecondsPerGigabyte).sorted()
        processorSecondsPerGigabyte = (costs[(costs.count - 1) / 2] + costs[costs.count / 2]) / 2
        (cheapestRound, dearestRound) = (costs[0], costs[costs.count - 1])
        (bytes, refusedBytes, systemCalls) = (sent.bytes, sent.refusedBytes, sent.systemCalls)
        lostBytes = bytes > received ? bytes - received : 0
        let nanoseconds = rounds.reduce(0) { $0 + $1.nanoseconds }
        gigabitsPerSecond = nanoseconds > 0 ? 8 * Double(received) / Double(nanoseconds) : 0
        let receiving = rounds.reduce(0) { $0 + $1.received.processorNanoseconds }
        receivingSecondsPerGigabyte = received > 0 ? Double(receiving) / Double(received) : 0
    }

    /// The share of all bytes that was lost or refused.
    var missingShare: Double {
        let all = bytes + refusedBytes
        return all > 0 ? Double(lostBytes + refusedBytes) / Double(all) : 1
    }
}
