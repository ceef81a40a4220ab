import RTSP

/// What the server says once it listens: where, and per stream what to paste into which player.
public struct StartupNotice: Sendable {
    public struct StreamLine: Sendable {
        public let path: String
        /// What its source is.
        public let label: String

        public init(path: String, label: String) {
            self.path = path
            self.label = label
        }
    }

    /// Who may watch.
    public enum Access: Sendable {
        /// This host alone, at whose own address the server listens.
        case thisHost
        /// This host, and others with the password.
        case viewer(ViewerAccess)
        case users
        /// Whom somebody else admits.
        case callback
        case open
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
    public var text: String {
        let listening = listeners.map { "listening on \($0)\n" }
        let playlist = port == nil ? "" : "\nA file with VLC's options for less delay: apus playlist PATH > FILE.m3u\n"
        return (["Apus \(apusVersion)\n"] + listening + [accessText] + streams.map(text) + [playlist]).joined()
    }

    /// What `--open` means.
    static let openness =
        "OPEN TO EVERYBODY: whoever reaches this host watches all its streams, without a password. Leave out --open "
        + "(access.open) to have one"

    private var accessText: String {
        switch access {
        case .thisHost: ""
        case .viewer(let viewer):
            "other hosts need the password that is in their URLs; "
                + (viewer.file.map { "it is kept in \($0)\n" } ?? "it is another at each start\n")
        case .users: "the configuration's users watch: write \(scheme)USER:PASSWORD@… for \(scheme)…\n"
        case .callback: "access.httpCallback decides who watches\n"
        case .open: "\n*** \(Self.openness).\n"
        }
    }

    private var viewer: ViewerPassword? { if case .viewer(let viewer) = access { viewer.password } else { nil } }

    private var scheme: String { port == nil ? "rtsps://" : "rtsp://" }

    private func text(_ stream: StreamLine) -> String {
        "\n\(stream.path)  \(stream.label)\n" + hosts.map { text(stream.path, at: $0) }.joined()
    }

    /// The URLs of a path, and what to paste into players for the first of them.
    private func text(_ path: String, at host: URLHost) -> String {
        let ways = [(port, ConnectionSecurity.clear), (tlsPort, .tls)].compactMap { port, security in
            port.map { PlayerCommands(host: host, port: $0, path: path, viewer: viewer, security: security) }
        }
        let lines = ways.map { "  \($0.url)\n" } + (ways.first?.lines.map { "    \($0)\n" } ?? [])
        return lines.joined()
    }
}
