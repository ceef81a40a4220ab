import Glibc

/// A linear axis with round levels, and the logarithmic axis of percentiles.
struct PlotScale {
    let lowest: Double
    let highest: Double
    private let step: Double

    /// An axis that covers these values and zero; never empty.
    init(from smallest: Double, to largest: Double) {
        let isFinite = smallest.isFinite && largest.isFinite && largest.magnitude < 1e12 && smallest.magnitude < 1e12
        let (smallest, largest) = isFinite ? (min(smallest, 0), max(largest, 0)) : (0, 1)
        let span = max(largest - smallest, 1e-3)
        let magnitude = pow(10, log10(span / 5).rounded(.down))
        step = [1, 2, 5, 10].map { $0 * magnitude }.first { span / $0 <= 6 } ?? 10 * magnitude
        lowest = (smallest / step).rounded(.down) * step
        highest = max((largest / step).rounded(.up) * step, lowest + step)
    }

    var levels: [Double] {
        (0...Int(((highest - lowest) / step).rounded())).map { lowest + Double($0) * step }
    }

    /// The position of a value on the axis, 0 to 1.
    func share(of value: Double) -> Double {
        min(max((value - lowest) / (highest - lowest), 0), 1)
    }

    /// The position of a percentile: 0 % is 0, 90 % is 1, 99 % is 2, 99.9 % is 3.
    static func nines(_ percent: Double) -> Double { -log10(1 - percent / 100) }
    /// The number of nines that `count` values resolve, including the largest value: 500 values resolve 99.9 %. From 1 to 5.
    static func nines(ofCount count: Int) -> Double { min(max(log10(Double(max(2 * count, 1))), 1), 5) }
    static func percent(nines: Double) -> Double { 100 * (1 - pow(10, -nines)) }
}

/// Formats numbers and text for SVG.
enum PlotText {
    static func text(_ text: String, x: Double, y: Double, _ attributes: String) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" \(attributes)>\(escaped(text))</text>"
    }

    static func number(_ value: Double) -> String { ReportTable.number(value) }

    /// `value` with as few digits as possible.
    static func short(_ value: Double) -> String {
        for digits in 0...2 {
            let text = ReportTable.number(value, digits: digits)
            if let read = Double(text), (read - value).magnitude < 1e-6 { return text }
        }
        return ReportTable.number(value, digits: 3)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
