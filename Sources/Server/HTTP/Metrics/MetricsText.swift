/// Metrics in the text format of Prometheus (version 0.0.4). A pure value.
struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// The names and values of the labels of a sample, in their order.
    typealias Labels = KeyValuePairs<String, String>

    private(set) var text = ""
    private var name = ""

    /// Begins a family of samples, which follow by ``add(_:_:)``. A family without samples is left out.
    ///
    /// - Parameters:
    ///   - name: with its base unit; the name of a counter ends with `_total`.
    ///   - help: a sentence without a full stop.
    mutating func family(_ name: String, _ kind: Kind, _ help: String, _ add: (inout Self) -> Void) {
        let before = self
        self.name = name
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        let count = text.utf8.count
        add(&self)
        if text.utf8.count == count { self = before }
    }

    /// Adds a sample of the present family.
    mutating func add(_ labels: Labels, _ value: Double) { line(name, labels, Self.number(value)) }

    /// Adds the only sample of the present family.
    mutating func add(_ value: Double) { add([:], value) }

    /// Adds a histogram of the present family.
    ///
    /// - Parameters:
    ///   - bounds: upper bounds, ascending.
    ///   - counts: the number of values up to each bound and above the one before, and of those above the last.
    mutating func add(_ labels: Labels, bounds: [Double], counts: [UInt64], sum: Double) {
        var count: UInt64 = 0
        let limits = bounds.map(Self.number) + ["+Inf"]
        for (limit, more) in zip(limits, counts) {
            count += more
            line("\(name)_bucket", labels, "\(count)", extra: ("le", limit))
        }
        line("\(name)_sum", labels, Self.number(sum))
        line("\(name)_count", labels, "\(count)")
    }

    private mutating func line(
        _ name: String, _ labels: Labels, _ value: String, extra: (name: String, value: String)? = nil
    ) {
        var pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }
        if let extra { pairs.append("\(extra.name)=\"\(extra.value)\"") }
        text += pairs.isEmpty ? "\(name) \(value)\n" : "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    /// Without a fraction if there is none.
    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
