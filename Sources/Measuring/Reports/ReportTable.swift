import Streams

/// A report for people: names to the left, values to the right.
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

    /// A row per reason, in alphabetical order.
    mutating func add(failures: [String: Int]) {
        for (reason, count) in failures.sorted(by: { $0.key < $1.key }) { add("  failed", "\(count) × \(reason)") }
    }

    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.value }
            .joined(separator: "\n") + "\n"
    }

    /// With as many digits after the point as `digits` says.
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

extension ViewersReport {
    public var table: String {
        var table = ReportTable()
        table.add(
            "viewers",
            "\(viewers) over \(transport)\(trains == "cut" ? ", trains cut on arrival" : ""), \(ReportTable.number(seconds)) s"
        )
        table.add("sessions", "\(established) established, \(failures.values.reduce(0, +)) failed")
        table.add(failures: failures)
        if churned > 0 { table.add("came and vanished", "\(churned)") }
        if stalled > 0 { table.add("stalled", "\(stalled), \(stalledEndedByServer) of them closed by the server") }
        if let age = oldestHalfRatePictureMilliseconds, let settled = oldestSettledHalfRatePictureMilliseconds {
            let ages = "\(ReportTable.number(age)) ms, after its first 5 s \(ReportTable.number(settled)) ms"
            table.add("half-rate, oldest picture", ages)
        }
        table.add("packets", "\(packets), \(ReportTable.megabytes(bytes))")
        table.add("  gaps / lost", "\(gaps) / \(lost)")
        table.add("  duplicates / reordered", "\(duplicates) / \(reordered)")
        table.add("access units", "\(wholeUnits) whole, \(unitsInTime) of them in time, \(brokenUnits) broken")
        table.add("connect → PLAY answered", connectToPlay)
        table.add("PLAY answered → first packet", playToFirstPacket)
        table.add("PLAY answered → first IDR", playToRandomAccess)
        table.add("connect → first IDR", connectToRandomAccess)
        table.add("capture → last packet", captureToArrival)
        table.add("hand-over → last packet", handOverToArrival)
        table.add("first viewer → last viewer", fanOut)
        addServer(to: &table)
        addSteady(to: &table)
        return table.text
    }

    private func addSteady(to table: inout ReportTable) {
        guard let steady else { return }
        let rate = Double(steady.bytes) * 8 / 1e6 / max(steady.seconds, 1e-9)
        table.add(
            "once all had joined",
            "\(ReportTable.number(steady.seconds)) s, \(ReportTable.number(rate)) Mbit/s, \(steady.lost) lost, "
                + "receiver's thread \(ReportTable.number(steady.receiverLoad * 100, digits: 0)) %")
        guard let seconds = steady.processorSeconds, let cost = steady.processorSecondsPerGigabyte else { return }
        table.add(
            "  server processor",
            "\(ReportTable.number(seconds, digits: 2)) s, \(ReportTable.number(cost, digits: 2)) s/GB")
    }

    private func addServer(to table: inout ReportTable) {
        guard let server else { return }
        table.add(
            "server processor",
            "\(ReportTable.number(server.processorSeconds, digits: 2)) s, "
                + "\(ReportTable.number(server.processorSecondsPerGigabyte, digits: 2)) s/GB")
        let snapshots = [("before", server.before), ("playing", server.playing), ("after", server.after)]
        for (name, snapshot) in snapshots {
            table.add(
                "server \(name)",
                "\(ReportTable.megabytes(snapshot.residentBytes)), \(snapshot.descriptorCount) descriptors")
        }
    }
}
