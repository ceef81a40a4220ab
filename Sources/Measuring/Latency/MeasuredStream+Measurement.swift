extension MeasuredStream: Measurement {
    public var table: String { report.table }
    public var csv: String { frameTable }
    public var svg: String? { plot }
    public var deficiencies: [String] {
        recording.prematureEnd.map { ["\(plan.stream.url): the measurement ended early: \($0)"] } ?? []
    }
    /// Always `false`: without a live frame there is no `MeasuredStream`.
    public var isEmpty: Bool { false }

    public func reasonForMissingValue(for threshold: Threshold) -> String {
        switch threshold.quantity {
        case .of(.decoded, _), .of(.arrival, _), .of(.encoded, _):
            captureIsUnknown ? unknownCaptureReason : "no frame has both of its times"
        default: "it was not measured"
        }
    }

    private var captureIsUnknown: Bool { frames.allSatisfy { $0.capture == nil } }

    /// Why no capture time is known, and what helps.
    private var unknownCaptureReason: String {
        if case .unknown(let reason) = clocks, !recording.videoReports.isEmpty {
            return "the capture times are unknown: \(reason)"
        }
        guard timeline.rejectedSEI.isEmpty, timeline.rejectedReports.isEmpty else {
            return "all capture times were rejected as implausible"
        }
        return
            "no sender report came within \(ReportTable.number(seconds)) s; measure longer, such as with --seconds 10"
    }

    public func value(for threshold: Threshold) -> Double? {
        switch threshold.quantity {
        case .of(let distribution, let statistic): values(of: distribution).flatMap(statistic.value)
        case .value(let value): self.value(value)
        }
    }

    private func values(of distribution: Quantity.Distribution) -> Distribution? {
        switch distribution {
        case .decoded: decoded
        case .arrival: arrival
        case .encoded: encoded
        case .decoding: decoding
        case .late: lateness
        case .spacing: spacing
        default: nil
        }
    }

    private func value(_ value: Quantity.Value) -> Double? {
        let report = self.report
        return switch value {
        case .connected: report.start.connected
        case .play: report.start.playAnswered
        case .firstPacket: report.start.firstPacket
        case .firstDecodable: report.start.firstDecodable
        case .firstDecoded: report.start.firstDecoded
        case .jitter: report.jitter.rfc3550
        case .audioOffset: report.audioOffset.map(\.magnitude)
        case .clockError: report.clocks.error
        case .gop: report.groups?.longest
        case .loss: report.packets.lossPercent
        case .lossBeforeRepair: report.packets.lossPercentBeforeRepair
        case .lostBeforeRepair: Double(report.packets.lostBeforeRepair)
        case .repaired: Double(report.packets.repaired)
        case .lost: Double(report.packets.lost)
        case .broken: Double(report.frames.broken)
        case .undecoded: recording.isDecoded ? Double(report.frames.received - report.frames.decoded) : nil
        case .frames: Double(report.frames.received)
        case .frameRate: report.frames.perSecond
        case .bitrate: report.videoBitrate
        default: nil
        }
    }
}
