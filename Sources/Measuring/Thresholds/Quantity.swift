/// What a threshold looks at.
enum Quantity: Hashable, Sendable {
    case of(Distribution, Statistic)
    case value(Value)

    enum Distribution: String, CaseIterable, Hashable, Sendable {
        case decoded
        case arrival
        case encoded
        case decoding
        case late
        case spacing
        /// From the beginning of connecting until PLAY is answered.
        case play
        /// From the answer to PLAY to the first packet.
        case playToPacket = "play-to-packet"
        /// From the answer to PLAY to the first keyframe.
        case playToDecodable = "play-to-decodable"
        /// From the beginning of connecting to the first keyframe.
        case firstDecodable = "first-decodable"
        case handOver = "hand-over"
        case fanOut = "fan-out"
        /// From capture until the RTP packets are made.
        case packaged
        case besideEncoder = "beside-encoder"
        /// The encoder by itself.
        case encoder
    }

    enum Statistic: Hashable, Sendable {
        case minimum
        case mean
        case maximum
        case percentile(Double)
    }

    enum Value: String, CaseIterable, Hashable, Sendable {
        case connected
        case play
        case firstPacket = "first-packet"
        case firstDecodable = "first-decodable"
        case firstDecoded = "first-decoded"
        case jitter
        /// How far sound and picture are apart, whichever is later.
        case soundOffset = "sound-offset"
        case clockError = "clock-error"
        /// The longest.
        case gop
        case loss
        case lost
        case broken
        case undecoded
        case frames
        case framesPerSecond = "fps"
        /// Of video.
        case bitrate
        /// Sessions.
        case failed
        case established
        /// Joins that came to a picture.
        case joined
        case gaps
        case duplicates
        case reordered
        /// Whole access units.
        case units
        case unitsInTime = "units-in-time"
        case oldestHalfRate = "half-rate-oldest"
        /// Processor seconds per gigabyte.
        case serverCost = "server-cost"
        case trainCost = "train-cost"
        case cutTrainCost = "cut-train-cost"
        case datagramCost = "datagram-cost"
        case tcpCost = "tcp-cost"
        /// What was lost or not taken of one way of sending, the worst of all.
        case missing
        case skipped
        /// Of one processor.
        case load
        case encoderLoad = "encoder-load"
    }

    enum Measure: Hashable, Sendable {
        case duration
        case percent
        case rate
        case number
    }

    var measure: Measure {
        switch self {
        case .of: .duration
        case .value(let value): value.measure
        }
    }

    init(_ text: Substring, in vocabulary: Vocabulary) throws(Threshold.ParseError) {
        if let value = vocabulary.values.first(where: { $0.rawValue == text }) {
            self = .value(value)
            return
        }
        let dot = text.firstIndex(of: ".")
        let distribution = dot.flatMap { dot in vocabulary.distributions.first { $0.rawValue == text[..<dot] } }
        // The point of `p99.9` is not the one behind a name.
        let statistic = distribution == nil ? text : dot.map { text[$0...].dropFirst() } ?? text
        guard let statistic = Statistic(statistic), let meant = distribution ?? vocabulary.distributions.first else {
            throw Self.unknown(text, in: vocabulary)
        }
        self = .of(meant, statistic)
    }

    private static func unknown(_ text: Substring, in vocabulary: Vocabulary) -> Threshold.ParseError {
        let distributions = vocabulary.distributions.map(\.rawValue)
        let values = vocabulary.values.map(\.rawValue).joined(separator: ", ")
        let statistics =
            distributions.first.map {
                "p0 to p100, min, mean and max, of \(distributions.joined(separator: ", ")) (as \($0).p99), and "
            } ?? ""
        return Threshold.ParseError(description: "'\(text)' is not measured here; there are \(statistics)\(values)")
    }
}

extension Quantity.Value {
    fileprivate var measure: Quantity.Measure {
        switch self {
        case .connected, .play, .firstPacket, .firstDecodable, .firstDecoded, .jitter, .soundOffset, .clockError, .gop,
            .oldestHalfRate:
            .duration
        case .loss, .missing, .load, .encoderLoad: .percent
        case .bitrate: .rate
        case .lost, .broken, .undecoded, .frames, .framesPerSecond, .failed, .established, .joined, .gaps, .duplicates,
            .reordered, .units, .unitsInTime, .serverCost, .trainCost, .cutTrainCost, .datagramCost, .tcpCost, .skipped:
            .number
        }
    }
}

extension Vocabulary {
    /// A valid threshold, for error messages.
    var example: String {
        switch self {
        case .stream: "p99>50ms"
        case .viewers: "arrival.p99>50ms"
        case .joins: "first-decodable.p99>50ms"
        case .encoding: "packaged.p99>30ms"
        case .limit: "train-cost>1"
        }
    }
}

extension Quantity.Statistic {
    fileprivate init?(_ text: Substring) {
        switch text {
        case "min": self = .minimum
        case "mean": self = .mean
        case "max": self = .maximum
        default:
            let digits = text.dropFirst()
            guard text.first == "p", digits.first?.isWholeNumber == true,
                digits.allSatisfy({ "0123456789.".contains($0) }),
                let percent = Double(digits), percent <= 100
            else { return nil }
            self = .percentile(percent)
        }
    }
}

extension Quantity.Measure {
    private var units: [(name: String, factor: Double)] {
        switch self {
        case .duration: [("us", 1e-3), ("µs", 1e-3), ("ms", 1), ("s", 1e3)]
        case .percent: [("%", 1)]
        case .rate: [("bit/s", 1), ("kbit/s", 1e3), ("Mbit/s", 1e6)]
        case .number: [("", 1)]
        }
    }

    func factor(of unit: Substring, in text: String) throws(Threshold.ParseError) -> Double {
        if let unit = units.first(where: { $0.name == unit }) { return unit.factor }
        let names = units.map(\.name).filter { !$0.isEmpty && $0 != "µs" }
        let wanted = names.isEmpty ? "a number without a unit" : "a number with \(names.joined(separator: ", "))"
        throw Threshold.ParseError(description: "'\(text)' needs \(wanted)")
    }

    func text(of value: Double) -> String {
        switch self {
        case .duration: ReportTable.number(value, digits: 2) + " ms"
        case .percent: ReportTable.number(value, digits: 2) + " %"
        case .rate: ReportTable.number(value / 1e6, digits: 3) + " Mbit/s"
        case .number: ReportTable.number(value, digits: value.rounded() == value ? 0 : 2)
        }
    }
}
