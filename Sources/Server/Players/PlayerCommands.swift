import RTSP

/// The URL of a stream, and one command per player with options for low latency.
public struct PlayerCommands: Sendable {
    private let host: URLHost
    private let port: Int
    private let path: String
    private let security: ConnectionSecurity
    /// `viewer:…@`, if clients of the host need it.
    private let user: String

    /// - Parameters:
    ///   - path: the path with its slash: `/cam`.
    ///   - login: the user and password, if clients need them.
    ///   - security: whether the port uses TLS.
    public init(
        host: URLHost, port: Int, path: String, login: URLLogin? = nil, security: ConnectionSecurity = .clear
    ) {
        self.security = security
        self.host = host
        self.port = port
        self.path = path
        user = login?.text(at: host) ?? ""
    }

    /// Such as `rtsp://localhost:8554/cam`.
    public var url: String { "\(security == .tls ? "rtsps" : "rtsp")://\(user)\(host.text):\(port)\(path)" }

    /// One line per player.
    ///
    /// VLC needs no option; `apus playlist` contains those that lower its latency. ffplay gets no `-fflags nobuffer`: with it, ffplay
    /// drops the first IDR frame while it probes, and shows nothing until the next one. GStreamer gets video only: playbin also plays
    /// audio, but with 2 s latency.
    ///
    /// With TLS, the commands do not verify the certificate; ffplay and mpv do not by default. VLC of Debian does not support TLS.
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
