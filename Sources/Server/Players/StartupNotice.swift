import RTSP

/// The notice for users when the server has started: its ports, and for each stream its URLs and commands for players.
public struct StartupNotice: Sendable {
    public struct StreamLine: Sendable {
        public let path: String
        /// The label of its source.
        public let label: String
        /// One line per form (tracks, MPEG-TS) in which it is sent to a multicast group.
        public let multicast: [String]
        /// Why the source has failed; `nil` if it has not.
        var failure: String?

        public init(path: String, label: String, multicast: [String] = []) {
            self.path = path
            self.label = label
            self.multicast = multicast
        }

        fileprivate var title: String {
            "\(path)  \(label)" + (failure.map { " (NO INPUT: \(printable($0)))" } ?? "")
        }
    }

    /// Which clients may watch.
    public enum Access: Sendable {
        /// Clients on this host only, because the server listens at a loopback address.
        case thisHost
        /// Clients with the viewer's password. Clients on this host may need none.
        case viewer(ViewerAccess, loopback: AccessPolicy.Loopback = .free)
        /// Users of the configuration.
        case users
        /// Clients that the web server of `access.httpCallback` permits.
        case callback
        /// All clients.
        case open
    }

    /// The reader of the notice.
    public enum Reader: Sendable {
        /// A user at a terminal. The notice contains the viewer's password.
        case terminal
        /// A file, a pipe or the journal, which other users may read. The notice names the file that contains the password.
        case log
    }

    public let listeners: [String]
    public private(set) var streams: [StreamLine]
    /// The port for clients without TLS; `nil` if there is none.
    public let port: Int?
    /// The port for clients with TLS; `nil` if there is none.
    public let tlsPort: Int?
    /// The hosts under which clients reach the server.
    public let hosts: [URLHost]
    public let access: Access

    public init(
        listeners: [String], streams: [StreamLine], port: Int?, tlsPort: Int? = nil, hosts: [URLHost],
        access: Access = .thisHost
    ) {
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
        return (["Apus \(apusVersion)\n"] + listening + [accessText(for: reader)] + paths + [playlist]).joined()
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

    private static func accessText(
        _ viewer: ViewerAccess, _ loopback: AccessPolicy.Loopback, for reader: Reader
    ) -> String {
        let clients =
            loopback == .free ? "clients on other hosts need" : "all clients, including those on this host, need"
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
        case .terminal: URLLogin(viewer.password, loopback: loopback)
        case .log: .hidden(loopback: loopback)
        }
    }

    private var scheme: String { port == nil ? "rtsps://" : "rtsp://" }

    private func text(_ stream: StreamLine, for reader: Reader) -> String {
        let login = login(for: reader)
        return "\n\(stream.title)\n" + hosts.map { text(stream.path, at: $0, login) }.joined()
            + stream.multicast.map { "  \($0)\n" }.joined()
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
