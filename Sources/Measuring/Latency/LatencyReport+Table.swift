extension LatencyReport {
    public var table: String {
        var table = ReportTable()
        let rate = ReportTable.number(frames.perSecond)
        table.add(
            url,
            "\(encoding) over \(transport), \(ReportTable.number(seconds)) s: \(frames.received) frames, \(rate) a second"
        )
        if let prematureEnd { table.add("ended early", prematureEnd) }
        addStart(to: &table)
        addClocks(to: &table)
        addLatency(to: &table)
        addTransport(to: &table)
        return table.text
    }

    private func addStart(to table: inout ReportTable) {
        let instants = [
            ("connected", start.connected), (PlayedStream.answer(over: transport), start.playAnswered),
            ("packet", start.firstPacket),
            ("decodable", start.firstDecodable), ("decoded", start.firstDecoded),
        ]
        let times = instants.compactMap { name, instant in instant.map { "\(name) \(ReportTable.number($0))" } }
        table.add("first", times.joined(separator: ", ") + " ms after the start")
    }

    private func addClocks(to table: inout ReportTable) {
        table.add("clocks", clocks.sentence)
        if clocks.ownStep.magnitude > 1 {
            table.add("  this host's", "was set by \(ReportTable.number(clocks.ownStep)) ms during the measurement")
        }
        let counts = [
            ("by SEI", captureTimes.sei), ("by an earlier SEI and RTP time", captureTimes.seiAndRTP),
            ("by sender reports", captureTimes.senderReports), ("unknown", captureTimes.unknown),
        ].filter { $0.1 > 0 }
        table.add("capture times", counts.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
        if let origin = captureTimes.origin { table.add("  at the server", "by \(origin), when the measurement began") }
        if let difference = captureTimes.seiAfterSenderReports {
            let median = ReportTable.number(difference.p50, digits: 3)
            table.add("  SEI − sender report", "p50 \(median) ms  (\(difference.count))")
        }
        addRejected("SEI", captureTimes.rejectedSEI, to: &table)
        addRejected("sender reports", captureTimes.rejectedSenderReports, to: &table)
    }

    private func addRejected(_ name: String, _ counts: [String: Int], to table: inout ReportTable) {
        guard !counts.isEmpty else { return }
        let reasons = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        table.add("  \(name) rejected", reasons.joined(separator: ", "))
    }

    private func addLatency(to table: inout ReportTable) {
        if latency.captureToArrival == nil {
            table.add("latency", "unknown, because the capture times are unknown; only the lateness is measured")
        }
        table.add("capture → encoded", latency.captureToEncoded)
        table.add("capture → last packet", latency.captureToArrival)
        table.add("capture → decoded", latency.captureToDecoded)
        table.add("last packet → decoded", latency.arrivalToDecoded)
        table.add("later than the least delayed", latency.lateness)
        table.add("jitter (RFC 3550)", "\(ReportTable.number(jitter.rfc3550, digits: 2)) ms")
        table.add("  from frame to frame", jitter.spacing)
        if let audioOffset { table.add("audio after video", "\(ReportTable.number(audioOffset)) ms") }
    }

    private func addTransport(to table: inout ReportTable) {
        addLoss(to: &table)
        if packets.duplicates + packets.reordered > 0 || packets.malformed > 0 {
            table.add(
                "  duplicates / reordered",
                "\(packets.duplicates) / \(packets.reordered), \(packets.malformed) malformed")
        }
        if frames.broken > 0 { table.add("broken frames", "\(frames.broken)") }
        let undecoded = frames.received - frames.decoded
        if start.firstDecoded != nil, undecoded > 0 { table.add("frames not decoded", "\(undecoded)") }
        if frames.skipped > 0 {
            table.add("  decoder too slow", "\(frames.skipped) skipped; this machine is too slow, not the server")
        }
        let video = ReportTable.number(videoBitrate / 1e6, digits: 2)
        let audio = ReportTable.number(audioBitrate / 1e6, digits: 2)
        table.add("bitrate", "video \(video) Mbit/s, audio \(audio) Mbit/s")
        addGroups(to: &table)
    }

    private func addLoss(to table: inout ReportTable) {
        let before = ReportTable.number(packets.lossPercentBeforeRepair, digits: 2)
        let gaps = "\(packets.lostBeforeRepair) lost (\(before) %) in \(packets.gaps) gaps"
        table.add("packets", "\(packets.received), \(gaps)")
        guard packets.lostBeforeRepair > 0, let repair = packets.repair.name else { return }
        guard packets.repair == .requested else { return table.add("  repair", repair) }
        let after = ReportTable.number(packets.lossPercent, digits: 2)
        table.add("  repair", "\(packets.repaired) came again in time, \(packets.lost) stayed lost (\(after) %)")
    }

    private func addGroups(to table: inout ReportTable) {
        guard let groups else { return table.add("GOP", gopWithoutPair) }
        table.add(
            "GOP",
            "\(groups.medianFrames) frames, \(ReportTable.number(groups.median, digits: 0)) ms; "
                + "longest \(groups.longestFrames), \(ReportTable.number(groups.longest, digits: 0)) ms")
    }

    /// The GOP row if fewer than two keyframes arrived, so that no GOP is complete.
    private var gopWithoutPair: String {
        let keyframes = frames.keys == 0 ? "no keyframe" : "one keyframe"
        return "\(keyframes) in \(frames.received) frames: too short to tell"
    }
}

extension RepairUse {
    /// `nil` if there is nothing to say.
    fileprivate var name: String? {
        switch self {
        case .requested: "requested"
        case .notOffered: "none: the server offers none, or only in a stream of its own (RFC 4588)"
        case .off: "off, by --no-repair"
        case .none: nil
        }
    }
}
