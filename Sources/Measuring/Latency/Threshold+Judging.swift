extension Threshold {
    /// What becomes of a threshold.
    public enum Verdict: Equatable, Sendable {
        /// What must not be is not.
        case passed
        /// It is: what was measured, for people.
        case failed(String)
        /// Nothing was measured that could be compared; no proof, so scripts take it for a failure.
        case undecided(String)

        /// What to tell, where it did not pass.
        public var complaint: String? {
            switch self {
            case .passed: nil
            case .failed(let reason), .undecided(let reason): reason
            }
        }
    }
}

extension MeasuredStream {
    public func verdict(on threshold: Threshold) -> Threshold.Verdict {
        guard let value = value(of: threshold.quantity) else {
            return .undecided("\(threshold.text) cannot be judged: \(reasonForNothing(of: threshold.quantity))")
        }
        guard threshold.comparison.holds(value, threshold.limit) else { return .passed }
        return .failed("\(threshold.text): it is \(threshold.quantity.measure.text(of: value))")
    }

    private func reasonForNothing(of quantity: Quantity) -> String {
        switch quantity {
        case .of(.decoded, _), .of(.arrival, _), .of(.encoded, _):
            captureIsUnknown ? "nobody tells when frames were captured" : "no frame has both of its ends"
        default: "it was not measured"
        }
    }

    private var captureIsUnknown: Bool { frames.allSatisfy { $0.capture == nil } }

    private func value(of quantity: Quantity) -> Double? {
        switch quantity {
        case .of(let distribution, let statistic): statistic.value(of: values(of: distribution))
        case .value(let value): self.value(value)
        }
    }

    private func values(of distribution: Quantity.Distribution) -> Distribution {
        switch distribution {
        case .decoded: decoded
        case .arrival: arrival
        case .encoded: encoded
        case .decoding: decoding
        case .late: lateness
        case .spacing: spacing
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
        case .soundOffset: report.soundOffset.map(\.magnitude)
        case .clockError: report.clocks.error
        case .gop: report.groups?.longest
        case .loss: report.packets.lossPercent
        case .lost: Double(report.packets.lost)
        case .broken: Double(report.frames.broken)
        case .undecoded: recording.isDecoded ? Double(report.frames.received - report.frames.decoded) : nil
        case .frames: Double(report.frames.received)
        case .framesPerSecond: report.frames.perSecond
        case .bitrate: report.videoBitsPerSecond
        }
    }
}

extension Quantity.Statistic {
    /// In milliseconds.
    fileprivate func value(of distribution: Distribution) -> Double? {
        switch self {
        case .minimum: distribution.sorted.first?.milliseconds
        case .mean: distribution.mean.map { $0 / 1e6 }
        case .maximum: distribution.sorted.last?.milliseconds
        case .percentile(let percent): distribution.percentile(percent)?.milliseconds
        }
    }
}

extension Threshold.Comparison {
    fileprivate func holds(_ value: Double, _ limit: Double) -> Bool {
        switch self {
        case .atLeast: value >= limit
        case .atMost: value <= limit
        case .above: value > limit
        case .below: value < limit
        }
    }
}
