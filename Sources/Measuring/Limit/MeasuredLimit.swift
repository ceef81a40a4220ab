/// The measurement of `apus bench limit`.
public struct MeasuredLimit: Measurement, Sendable {
    public let report: LimitReport
    private let methods: [(name: String, rounds: [SendingRound])]

    /// - Parameters: the rounds of each method, at least one.
    init(
        _ plan: LimitPlan, gsoWithGRO: [SendingRound], gso: [SendingRound], datagrams: [SendingRound],
        connections: [SendingRound]
    ) {
        report = LimitReport(
            plan, gsoWithGRO: SendingCost(gsoWithGRO), gso: SendingCost(gso),
            datagrams: SendingCost(datagrams), connections: SendingCost(connections))
        // These names are in the CSV file.
        methods = [
            ("trains", gsoWithGRO), ("cut-trains", gso), ("datagrams", datagrams), ("connections", connections),
        ]
    }

    public var table: String { report.table }
    /// `nil`, because the bench measures costs, not durations.
    public var svg: String? { nil }
    public var isEmpty: Bool { false }
    public var deficiencies: [String] { report.voidReasons.map { "void: \($0)" } }

    public var csv: String {
        var table = CommaSeparatedTable(columns: [
            "way", "round", "seconds", "processor_seconds_per_gigabyte", "sent_bytes", "refused_bytes", "system_calls",
            "received_bytes", "receiver_processor_seconds",
        ])
        for method in methods {
            for (index, round) in method.rounds.enumerated() {
                table.add([
                    method.name, "\(index)", CommaSeparatedTable.seconds(round.nanoseconds),
                    ReportTable.number(round.processorSecondsPerGigabyte, digits: 4), "\(round.sent.bytes)",
                    "\(round.sent.refusedBytes)", "\(round.sent.systemCalls)", "\(round.received.bytes)",
                    CommaSeparatedTable.seconds(round.received.processorNanoseconds),
                ])
            }
        }
        return table.text
    }

    public func value(for threshold: Threshold) -> Double? {
        let costs = [report.gsoWithGRO, report.gso, report.datagrams, report.connections]
        return switch threshold.quantity {
        case .value(.gsoWithGROCost): report.gsoWithGRO.processorSecondsPerGigabyte
        case .value(.gsoCost): report.gso.processorSecondsPerGigabyte
        case .value(.datagramCost): report.datagrams.processorSecondsPerGigabyte
        case .value(.tcpCost): report.connections.processorSecondsPerGigabyte
        case .value(.missing): costs.map { 100 * $0.missingShare }.max()
        case .of, .value: nil
        }
    }
}
