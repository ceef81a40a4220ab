/// A quantity that a threshold compares.
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
        /// From the start of connecting to the response to PLAY.
        case play
        /// From the response to PLAY to the first packet.
        case playToPacket = "play-to-packet"
        /// From the response to PLAY to the first keyframe.
        case playToDecodable = "play-to-decodable"
        /// From the start of connecting to the first keyframe.
        case firstDecodable = "first-decodable"
        case handOver = "hand-over"
        case fanOut = "fan-out"
        /// From capture until the RTP packets exist.
        case packaged
        case besideEncoder = "beside-encoder"
        /// The encoder alone.
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
        /// The absolute time difference of audio and video.
        case audioOffset = "sound-offset"
        case clockError = "clock-error"
        /// The longest GOP.
        case gop
        /// After repair.
        case loss
        case lost
        case lossBeforeRepair = "loss-before-repair"
        case lostBeforeRepair = "lost-before-repair"
        case repaired
        case broken
        case undecoded
        case frames
        case frameRate = "fps"
        /// The bitrate of video.
        case bitrate
        /// Failed sessions.
        case failed
        case established
        /// Joins that received a keyframe.
        case joined
        case gaps
        case duplicates
        case reordered
        /// Whole access units.
        case units
        case unitsInTime = "units-in-time"
        case oldestHalfRate = "half-rate-oldest"
        /// Processor seconds of the server per gigabyte.
        case serverCost = "server-cost"
        case gsoWithGROCost = "train-cost"
        case gsoCost = "cut-train-cost"
        case datagramCost = "datagram-cost"
        case tcpCost = "tcp-cost"
        /// The share of bytes that was lost or refused, of the worst sending method.
        case missing
        case skipped
        /// The load in percent of one processor.
        case load
        case encoderLoad = "encoder-load"
    }

    enum Dimension: Hashable, Sendable {
        case duration
        case percent
        case rate
        case number
    }

    var dimension: Dimension {
        switch self {
        case .of: .duration
        case .value(let value): value.dimension
        }
    }

    init(_ text: Substring, in vocabulary: Vocabulary) throws(Threshold.ParseError) {
        if let value = vocabulary.values.first(where: { $0.rawValue == text }) {
            self = .value(value)
            return
        }
        let dot = text.firstIndex(of: ".")
        let distribution = dot.flatMap { dot in vocabulary.distributions.first { $0.rawValue == text[..<dot] } }
        // The point in `p99.9` is not the point after a distribution's name.
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
                "p0 to p100, min, mean and max of \(distributions.joined(separator: ", ")) (such as \($0).p99), and "
            } ?? ""
        return Threshold.ParseError(
            description: "'\(text)' is not measured by this command; it measures \(statistics)\(values)")
    }
}

extension Quantity.Value {
    fileprivate var dimension: Quantity.Dimension {
        switch self {
        case .connected, .play, .firstPacket, .firstDecodable, .firstDecoded, .jitter, .audioOffset, .clockError, .gop,
            .oldestHalfRate:
            .duration
        case .loss, .lossBeforeRepair, .missing, .load, .encoderLoad: .percent
        case .bitrate: .rate
        case .lost, .lostBeforeRepair, .repaired, .broken, .undecoded, .frames, .frameRate, .failed, .established,
            .joined, .gaps, .duplicates, .reordered, .units, .unitsInTime, .serverCost, .gsoWithGROCost, .gsoCost,
            .datagramCost, .tcpCost, .skipped:
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

extension Quantity.Dimension {
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
