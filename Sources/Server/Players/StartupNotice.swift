import RTSP

/// The notice for users when the server has started: the web page, the ports, and for each stream its URLs and commands for players.
public struct StartupNotice: Sendable {
    public struct StreamLine: Sendable {
        public let path: String
        /// The label of its source.
        public let label: String
        /// One line per form (tracks, MPEG-TS) in which it is sent to a multicast group.
        public let multicast: [String]
        /// Whether clients publish the stream.
        public let takesPublishers: Bool
        public let srt: SRTAccess
        /// Why the source has failed; `nil` if it has not.
        var failure: String?

        public init(
            path: String, label: String, multicast: [String] = [], takesPublishers: Bool = false,
            srt: SRTAccess = .clear
        ) {
            (self.takesPublishers, self.srt) = (takesPublishers, srt)
            self.path = path
            self.label = label
            self.multicast = multicast
        }

        fileprivate var title: String {
            "\(path)  \(label)" + (failure.map { " (NO INPUT: \(printable($0)))" } ?? "")
        }
    }

    /// What clients of a stream need over SRT, beside a user.
    public enum SRTAccess: Sendable {
        case clear
        /// The passphrase of the path.
        case passphrase
        /// The path has no passphrase, and the configuration demands one.
        case refused
    }

    /// Which clients may watch.
    public enum Access: Sendable {
        /// Clients on this host only, because the server listens at a loopback address.
        case thisHost
        /// Clients with the viewer's password. Clients on this host may need none.
        case viewer(GeneratedAccess, loopback: AccessPolicy.Loopback = .free)
        /// Users of the configuration.
        case users
        /// Clients that the web server of `access.httpCallback` permits.
        case callback
        /// All clients.
        case open
    }

    /// The publisher's password.
    public struct Publisher: Sendable {
        let access: GeneratedAccess
        let loopback: AccessPolicy.Loopback

        public init(access: GeneratedAccess, loopback: AccessPolicy.Loopback) {
            (self.access, self.loopback) = (access, loopback)
        }

        fileprivate func login(for reader: Reader) -> URLLogin {
            let isNeededHere = loopback != .freeToPublish
            return switch reader {
            case .terminal: URLLogin(access.password, of: .publisher, isNeededHere: isNeededHere)
            case .log: .hidden(of: .publisher, isNeededHere: isNeededHere)
            }
        }

        fileprivate func text(for reader: Reader) -> String {
            switch (reader, access.file) {
            case (.terminal, let file?):
                "publishers need the password of the user publisher in the lines below; it is stored in \(file)\n"
            case (.terminal, nil):
                "publishers need the password of the user publisher in the lines below; it changes at each start\n"
            case (.log, let file?):
                "publishers need the password stored in \(file): write it instead of PASSWORD\n"
            case (.log, nil):
                "publishers need a password, which is shown on a terminal only and changes at each start: set STATE_DIRECTORY to a "
                    + "folder in which it can be stored\n"
            }
        }
    }

    /// The reader of the notice.
    public enum Reader: Sendable {
        /// A user at a terminal. The notice contains the viewer's password.
        case terminal
        /// A file, a pipe or the journal, which other users may read. The notice names the file that contains the password.
        case log
    }

    /// Where the web page is.
    public struct Page: Sendable {
        let port: Int
        let security: ConnectionSecurity

        /// The page at the port without TLS, or else at that with TLS; `nil` if there is neither.
        public init?(port: Int?, tlsPort: Int?) {
            guard let number = port ?? tlsPort else { return nil }
            self.port = number
            security = port == nil ? .tls : .clear
        }

        /// The URL at a host, without user and password: browsers ask for these, and a page cannot send requests if its URL has a password.
        fileprivate func url(at host: URLHost) -> String {
            "\(security == .tls ? "https" : "http")://\(host.text):\(port)/"
        }
    }

    /// Where encoders publish over RTMP.
    public struct RTMPPort: Sendable {
        private let number: Int
        private let scheme: String

        /// The port without TLS, or else that with TLS; `nil` if there is neither.
        public init?(clear: Int?, tls: Int?) {
            guard let number = clear ?? tls else { return nil }
            (self.number, scheme) = (number, clear == nil ? "rtmps" : "rtmp")
        }

        /// What to paste to publish to a path.
        ///
        /// - Parameter query: the user and the password, if publishers need them.
        fileprivate func text(_ path: String, at host: URLHost, _ query: String) -> String {
            let name = path.dropFirst()
            let slash = name.lastIndex(of: "/")
            let folder = slash.map { name[..<$0] } ?? ""
            let key = slash.map { name[name.index(after: $0)...] } ?? name
            let server = server(at: host)
            return "    OBS        Server \(server)/\(folder)  Stream Key \(key)\(query)\n"
                + "    Larix      \(server)\(path)\(query)\n"
                + "    ffmpeg     ffmpeg -re -i FILE -c copy -f flv \"\(server)\(path)\(query)\"\n"
        }

        /// What to paste to watch a path.
        fileprivate func watching(_ path: String, at host: URLHost, _ query: String) -> String {
            "    RTMP       vlc \"\(server(at: host))\(path)\(query)\"\n"
        }

        private func server(at host: URLHost) -> String {
            "\(scheme)://\(host.text)\(isStandard ? "" : ":\(number)")"
        }

        private var isStandard: Bool { scheme == "rtmp" && number == 1935 }
    }

    /// `nil` without an HTTP server.
    public let page: Page?
    /// `nil` without an RTMP server.
    public let rtmp: RTMPPort?
    /// The UDP port of SRT; `nil` without an SRT server.
    public let srtPort: Int?
    public let listeners: [String]
    public private(set) var streams: [StreamLine]
    /// The port for clients without TLS; `nil` if there is none.
    public let port: Int?
    /// The port for clients with TLS; `nil` if there is none.
    public let tlsPort: Int?
    /// The hosts under which clients reach the server.
    public let hosts: [URLHost]
    public let access: Access
    /// `nil` if publishers need no generated password.
    public let publisher: Publisher?

    public init(
        listeners: [String], streams: [StreamLine], port: Int?, tlsPort: Int? = nil, hosts: [URLHost],
        access: Access = .thisHost, publisher: Publisher? = nil, page: Page? = nil,
        rtmp: RTMPPort? = nil, srtPort: Int? = nil
    ) {
        (self.rtmp, self.srtPort) = (rtmp, srtPort)
        self.page = page
        self.publisher = publisher
        self.listeners = listeners
        self.streams = streams
        self.port = port
        self.tlsPort = tlsPort
        self.hosts = hosts
        self.access = access
    }

    /// The same notice, in which streams with a failed source are marked.
    ///
    /// - Parameter failures: the reasons, by path.
    func marking(failures: [String: String]) -> Self {
        var notice = self
        for index in streams.indices { notice.streams[index].failure = failures[streams[index].path] }
        return notice
    }

    /// The whole text. Each line ends with a line feed.
    public func text(for reader: Reader) -> String {
        let listening = listeners.map { "listening on \($0)\n" }
        let playlist = port == nil ? "" : "\nFor less latency in VLC, open a playlist: apus playlist PATH > FILE.m3u\n"
        let paths = streams.map { text($0, for: reader) }
        let access = [accessText(for: reader), publisher?.text(for: reader) ?? "", passphraseText]
        return (["Apus \(apusVersion)\n", pageText] + listening + access + paths + [playlist]).joined()
    }

    /// The URLs of the web page, which end their lines, so that terminals make them links.
    private var pageText: String {
        guard let page else { return "" }
        return "\nall streams in a browser\n" + hosts.map { "  \(page.url(at: $0))\n" }.joined() + "\n"
    }

    /// The warning about `--open`.
    static let openWarning =
        "OPEN TO ALL: every client that can reach this host can watch all streams without a password. Remove --open "
        + "(access.open) to require a password"

    private func accessText(for reader: Reader) -> String {
        switch access {
        case .thisHost: ""
        case .viewer(let viewer, let loopback): Self.accessText(viewer, loopback, for: reader)
        case .users:
            "clients log in as users of the configuration: write \(scheme)USER:PASSWORD@… instead of \(scheme)…\n"
        case .callback: "the web server of access.httpCallback decides which clients may watch\n"
        case .open: "\n*** \(Self.openWarning).\n"
        }
    }

    /// The notice does not show passphrases of the configuration.
    private var passphraseText: String {
        guard srtPort != nil, streams.contains(where: { $0.srt == .passphrase }) else { return "" }
        return "clients of SRT need the path's srt.passphrase: write it instead of PASSPHRASE\n"
    }

    private static func accessText(
        _ viewer: GeneratedAccess, _ loopback: AccessPolicy.Loopback, for reader: Reader
    ) -> String {
        let clients =
            loopback != .asOthers ? "clients on other hosts need" : "all clients, including those on this host, need"
        return switch (reader, viewer.file) {
        case (.terminal, let file?): "\(clients) the password in the URLs below; it is stored in \(file)\n"
        case (.terminal, nil): "\(clients) the password in the URLs below; it changes at each start\n"
        case (.log, let file?): "\(clients) the password stored in \(file): write it instead of PASSWORD\n"
        case (.log, nil):
            "\(clients) a password, which is shown on a terminal only and changes at each start: set STATE_DIRECTORY to a folder "
                + "in which it can be stored\n"
        }
    }

    /// The user and password in the URLs.
    private func login(for reader: Reader) -> URLLogin? {
        guard case .viewer(let viewer, let loopback) = access else { return nil }
        return switch reader {
        case .terminal: URLLogin(viewer.password, isNeededHere: loopback == .asOthers)
        case .log: .hidden(isNeededHere: loopback == .asOthers)
        }
    }

    private var scheme: String { port == nil ? "rtsps://" : "rtsp://" }

    private func text(_ stream: StreamLine, for reader: Reader) -> String {
        let login = login(for: reader)
        return "\n\(stream.title)\n" + hosts.map { text(stream.path, at: $0, login) }.joined()
            + watching(stream, login) + stream.multicast.map { "  \($0)\n" }.joined()
            + (stream.takesPublishers ? publishing(stream, for: reader) : "")
    }

    /// The host that other hosts reach, or else this one.
    private var reachedHost: URLHost? { hosts.first { !$0.isLoopback } ?? hosts.first }

    /// What to paste to watch a stream over RTMP and SRT, if there is a server for that.
    private func watching(_ stream: StreamLine, _ login: URLLogin?) -> String {
        guard let host = reachedHost else { return "" }
        let name = "read:\(stream.path.dropFirst())\(login?.streamIDParts(at: host) ?? "")"
        return (rtmp?.watching(stream.path, at: host, login?.query(at: host) ?? "") ?? "")
            + (srtURL(stream, name, at: host).map { "    SRT        vlc \"\($0)\"\n" } ?? "")
    }

    /// What to paste to publish to a path, at the host that other hosts reach, or else at this one.
    private func publishing(_ stream: StreamLine, for reader: Reader) -> String {
        guard let host = reachedHost, let port = port ?? tlsPort else { return "" }
        let url = PlayerCommands(
            host: host, port: port, path: stream.path, login: publisher?.login(for: reader),
            security: self.port == nil ? .tls : .clear
        ).url
        let query = publisher?.login(for: reader).query(at: host) ?? ""
        return
            "  publish to it\n    ffmpeg     ffmpeg -re -i FILE -c copy -muxdelay 0 -rtsp_transport tcp -f rtsp \(url)\n"
            + "    GStreamer  gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtspclientsink location=\(url)\n"
            + (rtmp?.text(stream.path, at: host, query) ?? "") + publishingBySRT(stream, for: reader, at: host)
    }

    /// What to paste to publish to a path over SRT. ffmpeg and OBS count microseconds.
    private func publishingBySRT(_ stream: StreamLine, for reader: Reader, at host: URLHost) -> String {
        let credentials = publisher?.login(for: reader).streamIDParts(at: host) ?? ""
        let name = "publish:\(stream.path.dropFirst())\(credentials)"
        guard let srtPort, let url = srtURL(stream, name, at: host) else { return "" }
        let passphrase = stream.srt == .passphrase ? "  Passphrase PASSPHRASE" : ""
        return "    SRT        ffmpeg -re -i FILE -c copy -f mpegts \"\(url)&pkt_size=1316\"\n"
            + "    OBS, SRT   Server \(url)&latency=120000\n"
            + "    Larix      srt://\(host.text):\(srtPort)  Stream ID \(name)\(passphrase)\n"
    }

    /// The URL of a stream over SRT; `nil` if SRT does not serve it.
    private func srtURL(_ stream: StreamLine, _ streamID: String, at host: URLHost) -> String? {
        guard let srtPort, stream.srt != .refused else { return nil }
        let passphrase = stream.srt == .passphrase ? "&passphrase=PASSPHRASE" : ""
        return "srt://\(host.text):\(srtPort)?streamid=\(streamID)\(passphrase)"
    }

    /// The URLs of a path at a host, and the commands for players with the first URL.
    private func text(_ path: String, at host: URLHost, _ login: URLLogin?) -> String {
        let ways = [(port, ConnectionSecurity.clear), (tlsPort, .tls)].compactMap { port, security in
            port.map { PlayerCommands(host: host, port: $0, path: path, login: login, security: security) }
        }
        let lines = ways.map { "  \($0.url)\n" } + (ways.first?.lines.map { "    \($0)\n" } ?? [])
        return lines.joined()
    }
}
