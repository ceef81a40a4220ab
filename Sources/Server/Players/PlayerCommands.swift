import RTSP

/// What to paste to watch a stream: its URL, and one line per player with the options that keep its delay low.
public struct PlayerCommands: Sendable {
    private let host: URLHost
    private let port: Int
    private let path: String
    private let security: ConnectionSecurity
    /// `viewer:…@`, if the host asks for it.
    private let user: String

    /// - Parameters:
    ///   - path: with its slash, as `/cam`.
    ///   - login: what clients need, if they do.
    ///   - security: whether the port is that of TLS.
    public init(
        host: URLHost, port: Int, path: String, login: URLLogin? = nil, security: ConnectionSecurity = .clear
    ) {
        self.security = security
        self.host = host
        self.port = port
        self.path = path
        user = login?.text(at: host) ?? ""
    }

    /// As `rtsp://localhost:8554/cam`.
    public var url: String { "\(security == .tls ? "rtsps" : "rtsp")://\(user)\(host.text):\(port)\(path)" }

    /// One line per player.
    ///
    /// VLC needs no option: `apus playlist` has those that lower its delay. ffplay gets no `-fflags nobuffer`: with it,
    /// ffplay drops the first IDR while it probes and shows nothing for a whole group of pictures. GStreamer gets the
    /// picture alone: playbin plays the sound too, but 2 s late.
    ///
    /// Through TLS they take the certificate unseen: ffplay and mpv do by default. VLC as Debian builds it knows no TLS.
    public var lines: [String] {
        switch security {
        case .clear: clearLines
        case .tls: tlsLines
        }
    }

    private var tlsLines: [String] {
        [
            "ffplay     ffplay -flags low_delay -framedrop -rtsp_transport tcp \(url)",
            "mpv        mpv --profile=low-latency --rtsp-transport=tcp \(url)",
            "GStreamer  gst-launch-1.0 rtspsrc location=\(url) tls-validation-flags=0 latency=200 "
                + "! application/x-rtp,media=video ! decodebin ! autovideosink",
        ]
    }

    private var clearLines: [String] {
        let vlc = host.vlcText.map { "VLC        vlc rtsp://\(user)\($0):\(port)\(path)" }
        return (vlc.map { [$0] } ?? []) + [
            "ffplay     ffplay -flags low_delay -framedrop -rtsp_transport udp \(url)",
            "mpv        mpv --profile=low-latency --rtsp-transport=udp \(url)",
            "GStreamer  gst-launch-1.0 rtspsrc location=\(url) latency=200 "
                + "! application/x-rtp,media=video ! decodebin ! autovideosink",
        ]
    }
}
