import Reactor
import Streams

/// The metrics of the server: its status as numbers that Prometheus collects. A pure value.
///
/// Labels are the path, the transport, and reasons out of short lists. Nothing has the address or the name of a viewer, because each
/// value of a label is a time series of its own.
struct ServerMetrics {
    let status: ServerStatus
    let paths: [Path]
    let usage: ProcessUsage?

    /// What the status has not.
    struct Path {
        let path: String
        let stages: [Stage: DurationCounts]
        let viewers: ViewerCounts.Counts
    }

    var text: String {
        var text = MetricsText()
        addServer(to: &text)
        addSources(to: &text)
        addInputs(to: &text)
        addViewers(to: &text)
        addNetworks(to: &text)
        addSRT(to: &text)
        addStages(to: &text)
        addOutputs(to: &text)
        return text.text
    }

    private func addServer(to text: inout MetricsText) {
        text.family("apus_build_info", .gauge, "The version of the server; the value is always 1") {
            $0.add(["version": status.version], 1)
        }
        text.family("apus_uptime_seconds", .gauge, "Time since the start of the server") { $0.add(status.uptime) }
        guard let usage else { return }
        text.family("process_resident_memory_bytes", .gauge, "Resident memory of the process") {
            $0.add(Double(usage.residentByteCount))
        }
        text.family("process_cpu_seconds_total", .counter, "Processor time of the process") {
            $0.add(usage.processorSeconds)
        }
    }

    private func addSources(to text: inout MetricsText) {
        text.family("apus_source_state", .gauge, "1 for the state in which the source of a path is, 0 for the others") {
            for stream in status.streams {
                for state in SourceCondition.State.allCases {
                    $0.add(
                        ["path": stream.path, "state": state.rawValue],
                        stream.condition.state == state.rawValue ? 1 : 0)
                }
            }
        }
        text.family("apus_source_restarts_total", .counter, "Starts of a source after a failure") {
            for stream in status.streams { $0.add(["path": stream.path], Double(stream.restarts)) }
        }
        text.family("apus_stream_frames_total", .counter, "Video frames published") {
            for stream in status.streams { $0.add(["path": stream.path], Double(stream.pictures)) }
        }
        text.family("apus_stream_bytes_total", .counter, "Bytes published, of all tracks") {
            for stream in status.streams { $0.add(["path": stream.path], Double(stream.bytes)) }
        }
        text.family("apus_stream_skipped_frames_total", .counter, "Frames that the encoder has skipped") {
            for stream in status.streams {
                if let skipped = stream.skipped { $0.add(["path": stream.path], Double(skipped)) }
            }
        }
    }

    private func addInputs(to text: inout MetricsText) {
        let inputs = status.streams.compactMap { stream in stream.input.map { (stream.path, $0) } }
        func add(_ name: String, _ help: String, _ count: (ServerStatus.InputTrackLine) -> Int64) {
            text.family(name, .counter, help) {
                for (path, input) in inputs {
                    let sum = input.tracks.reduce(0) { $0 + count($1) }
                    $0.add(["path": path, "transport": input.transport], Double(sum))
                }
            }
        }
        add("apus_input_packets_total", "RTP packets received for a path") { $0.packets }
        add("apus_input_lost_packets_total", "RTP packets lost on the way to the server") { Int64($0.lost) }
        add("apus_input_reordered_packets_total", "RTP packets received out of order") { $0.reordered }
        add("apus_input_broken_units_total", "Frames received incompletely") { Int64($0.broken) }
    }

    private func addViewers(to text: inout MetricsText) {
        text.family("apus_viewers", .gauge, "Clients that play") {
            for (path, viewers) in Dictionary(grouping: status.viewers, by: \.path).sorted(by: { $0.key < $1.key }) {
                let byTransport = Dictionary(grouping: viewers, by: \.transport).mapValues(\.count)
                for (transport, count) in byTransport.sorted(by: { $0.key < $1.key }) {
                    $0.add(["path": path, "transport": transport], Double(count))
                }
            }
        }
        text.family("apus_viewers_joined_total", .counter, "Clients that have begun to play") {
            for path in paths {
                for (transport, count) in path.viewers.joined.sorted(by: { $0.key < $1.key }) {
                    $0.add(["path": path.path, "transport": transport], Double(count))
                }
            }
        }
        text.family("apus_viewers_left_total", .counter, "Clients that have ceased to play, by the reason") {
            for path in paths {
                let left = path.viewers.left.sorted {
                    ($0.key.transport, $0.key.departure.rawValue) < ($1.key.transport, $1.key.departure.rawValue)
                }
                for (key, count) in left {
                    $0.add(
                        ["path": path.path, "transport": key.transport, "reason": key.departure.rawValue],
                        Double(count))
                }
            }
        }
        text.family("apus_viewers_backlog_seconds", .gauge, "Media that waits for the slowest viewer of a path") {
            for (path, viewers) in Dictionary(grouping: status.viewers, by: \.path).sorted(by: { $0.key < $1.key }) {
                $0.add(["path": path], (viewers.map(\.backlog).max() ?? 0) / 1_000)
            }
        }
    }

    private func addStages(to text: inout MetricsText) {
        let bounds = DurationCounts.bounds.map { $0 / 1_000 }
        text.family(
            "apus_stage_duration_seconds", .histogram,
            "Time that frames spend in each stage between capture and the network; the stage whole is all of them"
        ) {
            for path in paths {
                for (stage, durations) in path.stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    $0.add(
                        ["path": path.path, "stage": stage.rawValue], bounds: bounds, counts: durations.counts,
                        sum: Double(durations.sumNanoseconds) / 1_000_000_000)
                }
            }
        }
    }

    private func addOutputs(to text: inout MetricsText) {
        func add(_ name: String, _ help: String, _ count: KeyPath<ServerStatus.LoopLine, UInt64>) {
            let sum = status.loops.reduce(0) { $0 + $1[keyPath: count] }
            text.family(name, .counter, help) { $0.add(Double(sum)) }
        }
        add("apus_sent_packets_total", "RTP packets sent over RTSP", \.packets)
        add("apus_sent_bytes_total", "Bytes sent over RTSP", \.bytes)
        add("apus_sent_units_total", "Frames sent to viewers over RTSP, counted for each viewer", \.units)
        add(
            "apus_retransmitted_packets_total", "RTP packets sent again because viewers had lost them",
            \.retransmittedPackets)
        add("apus_dropped_units_total", "Frames dropped for viewers that were too slow", \.droppedUnits)
        add("apus_send_system_calls_total", "System calls that send media", \.systemCalls)
        add("apus_send_refused_messages_total", "Messages that the network did not take at once", \.refusedMessages)
        text.family("apus_webhook_events_total", .counter, "Events of webhooks, by what has become of them") {
            guard !status.webhooks.isEmpty else { return }
            $0.add(["reason": "delivered"], Double(status.webhooks.reduce(0) { $0 + $1.delivered }))
            $0.add(["reason": "refused"], Double(status.webhooks.reduce(0) { $0 + $1.refused }))
            $0.add(["reason": "dropped"], Double(status.webhooks.reduce(0) { $0 + $1.dropped }))
        }
        text.family("apus_webhook_failed_requests_total", .counter, "Requests of webhooks that are repeated") {
            if !status.webhooks.isEmpty { $0.add(Double(status.webhooks.reduce(0) { $0 + $1.failures })) }
        }
        text.family("apus_forwards", .gauge, "Servers to which a path is forwarded, by the state of the connection") {
            for stream in status.streams {
                let states = Dictionary(grouping: stream.forwards, by: \.condition.state).mapValues(\.count)
                for (state, count) in states.sorted(by: { $0.key < $1.key }) {
                    $0.add(["path": stream.path, "state": state], Double(count))
                }
            }
        }
    }
}
