extension ViewersReport {
    public var table: String {
        var table = ReportTable()
        table.add(
            "viewers",
            "\(viewers) over \(transport)\(gsoBatches == "cut" ? ", without GRO" : ""), \(ReportTable.number(seconds)) s"
        )
        table.add("sessions", "\(established) established, \(failures.values.reduce(0, +)) failed")
        table.add(failures: failures)
        // Without a session, the rows below would be zeros.
        if established == 0, churned == 0 { return table.text }
        if churned > 0 { table.add("joined and left at once", "\(churned)") }
        if stalled > 0 { table.add("stalled", "\(stalled), \(stalledEndedByServer) of them closed by the server") }
        if let age = oldestHalfRateFrameMilliseconds, let settled = oldestSettledHalfRateFrameMilliseconds {
            let ages = "\(ReportTable.number(age)) ms, after its first 5 s \(ReportTable.number(settled)) ms"
            table.add("half-rate, oldest frame", ages)
        }
        let (answer, part, end) = words
        table.add("\(part)s", "\(packets), \(ReportTable.megabytes(bytes))")
        table.add("  gaps / lost", "\(gaps) / \(lost)")
        table.add("  duplicates / reordered", "\(duplicates) / \(reordered)")
        table.add("access units", "\(wholeUnits) whole, \(unitsInTime) of them in time, \(brokenUnits) broken")
        table.add("connect → \(answer)", connectToPlay)
        table.add("\(answer) → first \(part)", playToFirstPacket)
        table.add("\(answer) → first keyframe", playToKeyframe)
        table.add("connect → first keyframe", connectToKeyframe)
        table.add("capture → \(end)", captureToArrival)
        table.add("hand-over → last \(part)", handOverToArrival)
        table.add("first viewer → last viewer", fanOut)
        addServer(to: &table)
        addSteady(to: &table)
        return table.text
    }

    /// What begins playback, what arrives, and how it ends.
    private var words: (answer: String, part: String, end: String) {
        switch transport {
        case Self.fileTransport, Self.socketTransport: ("response", "fragment", "last byte")
        case Self.lowLatencyTransport: ("playlist", "part", "last byte")
        case Self.segmentsTransport: ("playlist", "fragment", "last byte")
        default: (PlayedStream.answer(over: transport), "packet", "last packet")
        }
    }

    private func addSteady(to table: inout ReportTable) {
        guard let steady else { return }
        let rate = Double(steady.bytes) * 8 / 1e6 / max(steady.seconds, 1e-9)
        table.add(
            "after all had joined",
            "\(ReportTable.number(steady.seconds)) s, \(ReportTable.number(rate)) Mbit/s, \(steady.lost) lost, "
                + "receiver thread \(ReportTable.number(steady.receiverLoad * 100, digits: 0)) %")
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
