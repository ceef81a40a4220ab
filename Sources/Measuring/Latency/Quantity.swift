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
        case .value(.loss): .percent
        case .value(.bitrate): .rate
        case .value(.lost), .value(.broken), .value(.undecoded), .value(.frames), .value(.framesPerSecond): .number
        case .value: .duration
        }
    }

    init(_ text: Substring) throws(Threshold.Mistake) {
        if let value = Value(rawValue: String(text)) {
            self = .value(value)
            return
        }
        let dot = text.firstIndex(of: ".")
        let name = dot.map { text[..<$0] }
        let distribution = name.flatMap { Distribution(rawValue: String($0)) }
        // The point of `p99.9` is not the one behind a name.
        let statistic = distribution == nil ? text : dot.map { text[$0...].dropFirst() } ?? text
        guard let statistic = Statistic(statistic) else { throw Self.unknown(text) }
        self = .of(distribution ?? .decoded, statistic)
    }

    private static func unknown(_ text: Substring) -> Threshold.Mistake {
        let distributions = Distribution.allCases.map(\.rawValue).joined(separator: ", ")
        let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return Threshold.Mistake(
            description: """
                '\(text)' is nothing that is measured: there are p0 to p100, min, mean and max, of \(distributions) \
                (as arrival.p99), and \(values)
                """)
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

    func factor(of unit: Substring, in text: String) throws(Threshold.Mistake) -> Double {
        if let unit = units.first(where: { $0.name == unit }) { return unit.factor }
        let names = units.map(\.name).filter { !$0.isEmpty && $0 != "µs" }
        let wanted = names.isEmpty ? "a number without a unit" : "a number with \(names.joined(separator: ", "))"
        throw Threshold.Mistake(description: "'\(text)' needs \(wanted)")
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
