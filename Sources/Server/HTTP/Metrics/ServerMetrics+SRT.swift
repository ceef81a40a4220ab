// What libsrt counts. Inputs over SRT have these beside the metrics of all inputs; viewers over SRT have those of all viewers.

extension ServerMetrics {
    func addSRT(to text: inout MetricsText) {
        addSRTInputs(to: &text)
        addSRTForwards(to: &text)
    }

    private func addSRTInputs(to text: inout MetricsText) {
        let inputs = status.streams.compactMap { stream in stream.input?.srt.map { (stream.path, $0) } }
        func add(
            _ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: (ServerStatus.SRTLine) -> Double
        ) {
            text.family(name, kind, help) {
                for (path, srt) in inputs { $0.add(["path": path], value(srt)) }
            }
        }
        add(
            "apus_input_srt_lost_packets_total", .counter, "Packets of SRT lost on the way to the server, before repair"
        ) {
            Double($0.lost)
        }
        add(
            "apus_input_srt_retransmitted_packets_total", .counter,
            "Packets of SRT received because they were sent again"
        ) { Double($0.retransmitted) }
        add("apus_input_srt_dropped_packets_total", .counter, "Packets of SRT that were missing when they were due") {
            Double($0.dropped)
        }
        add("apus_input_srt_round_trip_seconds", .gauge, "The round trip to the peer of an input over SRT") {
            $0.roundTrip / 1_000
        }
        add("apus_input_srt_buffer_seconds", .gauge, "Media that libsrt has received and that is not due yet") {
            $0.buffer / 1_000
        }
    }

    /// Of several forwards of a path, the sum or the largest. They are gauges, because the counts end with each connection.
    private func addSRTForwards(to text: inout MetricsText) {
        let forwards = status.streams.compactMap { stream in
            let lines = stream.forwards.compactMap(\.srt)
            return lines.isEmpty ? nil : (stream.path, lines)
        }
        func add(_ name: String, _ help: String, _ value: ([ServerStatus.SRTLine]) -> Double) {
            text.family(name, .gauge, help) {
                for (path, lines) in forwards { $0.add(["path": path], value(lines)) }
            }
        }
        add(
            "apus_forwards_srt_lost_packets",
            "Packets that the servers of present forwards over SRT have reported as lost"
        ) {
            Double($0.reduce(0) { $0 + $1.lost })
        }
        add("apus_forwards_srt_retransmitted_packets", "Packets of present forwards over SRT that were sent again") {
            Double($0.reduce(0) { $0 + $1.retransmitted })
        }
        add("apus_forwards_srt_dropped_packets", "Packets of present forwards over SRT that were too late to be sent") {
            Double($0.reduce(0) { $0 + $1.dropped })
        }
        add("apus_forwards_srt_round_trip_seconds", "The longest round trip to the server of a forward over SRT") {
            ($0.map(\.roundTrip).max() ?? 0) / 1_000
        }
        add(
            "apus_forwards_srt_buffer_seconds",
            "The most media that the server of a forward over SRT has not acknowledged"
        ) {
            ($0.map(\.buffer).max() ?? 0) / 1_000
        }
    }
}
