// Loss, round trips and rates. Why a rate is what it is, is in the status, the API and the log: it names numbers, of which each would be
// a time series of its own.

extension ServerMetrics {
    func addNetworks(to text: inout MetricsText) {
        text.family(
            "apus_stream_requested_bytes_per_second", .gauge,
            "Bitrate that the encoder is asked for because it follows the viewers"
        ) {
            for stream in status.streams {
                if let bitrate = stream.requestedBitrate { $0.add(["path": stream.path], Double(bitrate) / 8) }
            }
        }
        add(
            "apus_viewers_capacity_bytes_per_second", "What the slowest path to a viewer carries", to: &text
        ) { networks in networks.compactMap(\.capacity).min().map { Double($0) / 8 } }
        add(
            "apus_viewers_round_trip_seconds", "The longest round trip to a viewer", to: &text
        ) { networks in networks.compactMap(\.roundTrip).max().map { $0 / 1_000 } }
        add(
            "apus_viewers_lost_packets", "RTP packets lost on the way to the clients that play, before repair",
            to: &text
        ) { networks in sum(networks.compactMap(\.lost)) }
        add(
            "apus_viewers_missing_packets", "RTP packets that the clients that play still lack, by their reports",
            to: &text
        ) { networks in sum(networks.compactMap(\.missing)) }
        add(
            "apus_viewers_moved", "Clients that get a substream instead, because their path carries no more", to: &text
        ) { networks in
            let followed = networks.filter { $0.capacity != nil }
            return followed.isEmpty ? nil : Double(followed.count { $0.rendition != nil })
        }
    }

    /// Adds a gauge with one sample for each path. A path of which `value` is `nil` has no sample.
    private func add(
        _ name: String, _ help: String, to text: inout MetricsText,
        _ value: ([ServerStatus.NetworkLine]) -> Double?
    ) {
        text.family(name, .gauge, help) {
            for (path, viewers) in Dictionary(grouping: status.viewers, by: \.path).sorted(by: { $0.key < $1.key }) {
                if let value = value(viewers.compactMap(\.network)) { $0.add(["path": path], value) }
            }
        }
    }

    /// The sum; `nil` if no client has reported a count.
    private func sum<Count: BinaryInteger>(_ counts: [Count]) -> Double? {
        counts.isEmpty ? nil : counts.reduce(0) { $0 + Double($1) }
    }
}
