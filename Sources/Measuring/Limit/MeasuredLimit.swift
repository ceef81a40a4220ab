/// What `apus bench limit` has measured.
public struct MeasuredLimit: Measurement, Sendable {
    public let report: LimitReport
    private let ways: [(name: String, rounds: [SendingRound])]

    /// - Parameters: each way's rounds, at least one.
    init(
        _ plan: LimitPlan, wholeTrains: [SendingRound], cutTrains: [SendingRound], datagrams: [SendingRound],
        connections: [SendingRound]
    ) {
        report = LimitReport(
            plan, wholeTrains: SendingCost(wholeTrains), cutTrains: SendingCost(cutTrains),
            datagrams: SendingCost(datagrams), connections: SendingCost(connections))
        ways = [
            ("trains", wholeTrains), ("cut-trains", cutTrains), ("datagrams", datagrams), ("connections", connections),
        ]
    }

    public var table: String { report.table }
    /// It measures costs, not durations.
    public var svg: String? { nil }
    public var isEmpty: Bool { false }
    public var deficiencies: [String] { report.voidReasons.map { "void: \($0)" } }

    public var csv: String {
        var table = CommaSeparatedTable(columns: [
            "way", "round", "seconds", "processor_seconds_per_gigabyte", "sent_bytes", "refused_bytes", "system_calls",
            "received_bytes", "receiver_processor_seconds",
        ])
        for way in ways {
            for (index, round) in way.rounds.enumerated() {
                table.add([
                    way.name, "\(index)", CommaSeparatedTable.seconds(round.nanoseconds),
                    ReportTable.number(round.processorSecondsPerGigabyte, digits: 4), "\(round.sent.bytes)",
                    "\(round.sent.refusedBytes)", "\(round.sent.systemCalls)", "\(round.received.bytes)",
                    CommaSeparatedTable.seconds(round.received.processorNanoseconds),
                ])
            }
        }
        return table.text
    }

    public func value(for threshold: Threshold) -> Double? {
        let costs = [report.wholeTrains, report.cutTrains, report.datagrams, report.connections]
        return switch threshold.quantity {
        case .value(.trainCost): report.wholeTrains.processorSecondsPerGigabyte
        case .value(.cutTrainCost): report.cutTrains.processorSecondsPerGigabyte
        case .value(.datagramCost): report.datagrams.processorSecondsPerGigabyte
        case .value(.tcpCost): report.connections.processorSecondsPerGigabyte
        case .value(.missing): costs.map { 100 * $0.missingShare }.max()
        case .of, .value: nil
        }
    }
}
