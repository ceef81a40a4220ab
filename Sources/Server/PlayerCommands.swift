import Reactor

/// What to paste to watch a stream: one line per player, with the options that keep its delay low.
public struct PlayerCommands: Sendable {
    private let url: String

    /// - Parameter url: as `rtsp://localhost:8554/cam`.
    public init(url: String) {
        self.url = url
    }

    /// The stream's URL on this host and on each of its addresses.
    public static func urls(path: String, port: Int, addresses: [SocketAddress]) -> [String] {
        let hosts = ["localhost"] + addresses.map { $0.family == .ipv6 ? "[\($0.host)]" : $0.host }
        return hosts.map { "rtsp://\($0):\(port)\(path)" }
    }

    /// One line per player.
    ///
    /// ffplay gets no `-fflags nobuffer`: with it, ffplay drops the first IDR while it probes and shows nothing for a
    /// whole group of pictures. GStreamer gets the picture alone: playbin plays the sound too, but 2 s late.
    public var lines: [String] {
        [
            "VLC        vlc --network-caching=200 \(url)",
            "ffplay     ffplay -flags low_delay -framedrop -rtsp_transport udp \(url)",
            "mpv        mpv --profile=low-latency --rtsp-transport=udp \(url)",
            "GStreamer  gst-launch-1.0 rtspsrc location=\(url) latency=200 "
                + "! application/x-rtp,media=video ! decodebin ! autovideosink",
        ]
    }
}
