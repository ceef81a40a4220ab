/// What to paste to watch a stream: its URL, and one line per player with the options that keep its delay low.
public struct PlayerCommands: Sendable {
    private let host: URLHost
    private let port: Int
    private let path: String
    /// `viewer:…@`, where the host asks for it.
    private let user: String

    /// - Parameters:
    ///   - path: with its slash, as `/cam`.
    ///   - viewer: what other hosts need, where they do.
    public init(host: URLHost, port: Int, path: String, viewer: ViewerPassword? = nil) {
        self.host = host
        self.port = port
        self.path = path
        user = host.isLoopback ? "" : viewer?.userInformation ?? ""
    }

    /// As `rtsp://localhost:8554/cam`.
    public var url: String { "rtsp://\(user)\(host.text):\(port)\(path)" }

    /// One line per player.
    ///
    /// VLC needs no option: `apus playlist` has those that lower its delay. ffplay gets no `-fflags nobuffer`: with it,
    /// ffplay drops the first IDR while it probes and shows nothing for a whole group of pictures. GStreamer gets the
    /// picture alone: playbin plays the sound too, but 2 s late.
    public var lines: [String] {
        let vlc = host.vlcText.map { "VLC        vlc rtsp://\(user)\($0):\(port)\(path)" }
        return (vlc.map { [$0] } ?? []) + [
            "ffplay     ffplay -flags low_delay -framedrop -rtsp_transport udp \(url)",
            "mpv        mpv --profile=low-latency --rtsp-transport=udp \(url)",
            "GStreamer  gst-launch-1.0 rtspsrc location=\(url) latency=200 "
                + "! application/x-rtp,media=video ! decodebin ! autovideosink",
        ]
    }
}
