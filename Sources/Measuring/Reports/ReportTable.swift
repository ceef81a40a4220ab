import Streams

/// A report as text, with names on the left and values on the right.
struct ReportTable {
    private var rows: [(name: String, value: String)] = []

    mutating func add(_ name: String, _ value: String) {
        rows.append((name, value))
    }

    mutating func add(_ name: String, _ duration: DurationSummary?) {
        guard let duration else { return }
        add(
            name,
            "p50 \(Self.number(duration.p50))  p95 \(Self.number(duration.p95))  p99 \(Self.number(duration.p99))  "
                + "max \(Self.number(duration.max)) ms  (\(duration.count))")
    }

    /// Adds a row per reason, in alphabetical order.
    mutating func add(failures: [String: Int]) {
        for (reason, count) in failures.sorted(by: { $0.key < $1.key }) { add("  failed", "\(count) × \(reason)") }
    }

    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.value }
            .joined(separator: "\n") + "\n"
    }

    /// `value` with `digits` decimal places.
    static func number(_ value: Double, digits: Int = 1) -> String {
        guard value.isFinite, value.magnitude < 1e12 else { return "\(value)" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int64((value.magnitude * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let rest = String(scaled % Int64(scale))
        return "\(sign)\(scaled / Int64(scale))." + String(repeating: "0", count: digits - rest.count) + rest
    }

    static func megabytes(_ bytes: UInt64) -> String { number(Double(bytes) / 1e6) + " MB" }
}
