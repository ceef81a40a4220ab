import RTSP

/// What the server says once it listens: where, and per stream what to paste into which player.
public struct StartupNotice: Sendable {
    public struct StreamLine: Sendable {
        public let path: String
        /// What its source is.
        public let label: String
        /// One line per form in which it is sent to a multicast group.
        public let multicast: [String]

        public init(path: String, label: String, multicast: [String] = []) {
            self.path = path
            self.label = label
            self.multicast = multicast
        }
    }

    /// Who may watch.
    public enum Access: Sendable {
        /// This host alone, at whose own address the server listens.
        case thisHost
        /// Others with the password; clients on this host, too, unless they are free.
        case viewer(ViewerAccess, loopback: AccessPolicy.Loopback = .free)
        case users
        /// Whom somebody else admits.
        case callback
        case open
    }

    /// What reads the notice.
    public enum Reader: Sendable {
        /// A person. The notice shows the viewer's password.
        case terminal
        /// A file, a pipe or the journal, which others may read, too. The notice names the file that holds the password.
        case log
    }

    public let listeners: [String]
    public let streams: [StreamLine]
    /// For those who come in the clear; `nil` where nobody may.
    public let port: Int?
    /// For those who come through TLS; `nil` where nobody does.
    public let tlsPort: Int?
    /// Under which the server is reached.
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

    /// All lines, each ended.
    public func text(for reader: Reader) -> String {
        let listening = listeners.map { "listening on \($0)\n" }
        let playlist = port == nil ? "" : "\nA file with VLC's options for less delay: apus playlist PATH > FILE.m3u\n"
        let paths = streams.map { text($0, for: reader) }
        return (["Apus \(apusVersion)\n"] + listening + [accessText(for: reader)] + paths + [playlist]).joined()
    }

    /// What `--open` means.
    static let openWarning =
        "OPEN TO EVERYBODY: whoever reaches this host watches all its streams, without a password. Leave out --open "
        + "(access.open) to have one"

    private func accessText(for reader: Reader) -> String {
        switch access {
        case .thisHost: ""
        case .viewer(let viewer, let loopback): Self.accessText(viewer, loopback, for: reader)
        case .users: "the configuration's users watch: write \(scheme)USER:PASSWORD@… for \(scheme)…\n"
        case .callback: "access.httpCallback decides who watches\n"
        case .open: "\n*** \(Self.openWarning).\n"
        }
    }

    private static func accessText(
        _ viewer: ViewerAccess, _ loopback: AccessPolicy.Loopback, for reader: Reader
    ) -> String {
        let clients = loopback == .free ? "other hosts need" : "all clients, on this host too, need"
        return switch (reader, viewer.file) {
        case (.terminal, let file?): "\(clients) the password that is in their URLs; it is kept in \(file)\n"
        case (.terminal, nil): "\(clients) the password that is in their URLs; it is another at each start\n"
        case (.log, let file?): "\(clients) the password that is kept in \(file): write it for PASSWORD\n"
        case (.log, nil):
            "\(clients) a password, which is shown on a terminal only, and is another at each start: set STATE_DIRECTORY to a "
                + "folder that can keep it\n"
        }
    }

    /// What the URLs carry.
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
        return "\n\(stream.path)  \(stream.label)\n" + hosts.map { text(stream.path, at: $0, login) }.joined()
            + stream.multicast.map { "  \($0)\n" }.joined()
    }

    /// The URLs of a path, and what to paste into players for the first of them.
    private func text(_ path: String, at host: URLHost, _ login: URLLogin?) -> String {
        let ways = [(port, ConnectionSecurity.clear), (tlsPort, .tls)].compactMap { port, security in
            port.map { PlayerCommands(host: host, port: $0, path: path, login: login, security: security) }
        }
        let lines = ways.map { "  \($0.url)\n" } + (ways.first?.lines.map { "    \($0)\n" } ?? [])
        return lines.joined()
    }
}
