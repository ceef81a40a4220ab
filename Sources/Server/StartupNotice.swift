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
        case open
    }

    public let listeners: [String]
    public let streams: [StreamLine]
    public let port: Int
    /// Under which the server is reached.
    public let hosts: [URLHost]
    public let access: Access

    public init(
        listeners: [String], streams: [StreamLine], port: Int, hosts: [URLHost], access: Access = .thisHost
    ) {
        self.listeners = listeners
        self.streams = streams
        self.port = port
        self.hosts = hosts
        self.access = access
    }

    /// All lines, each ended.
    public var text: String {
        let listening = listeners.map { "listening on \($0)\n" }
        let playlist = "\nA file with VLC's options for less delay: apus playlist PATH > FILE.m3u\n"
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
        case .users: "the configuration's users watch: write rtsp://USER:PASSWORD@… for rtsp://…\n"
        case .open: "\n*** \(Self.openness).\n"
        }
    }

    private var viewer: ViewerPassword? { if case .viewer(let viewer) = access { viewer.password } else { nil } }

    private func text(_ stream: StreamLine) -> String {
        let all = hosts.map { PlayerCommands(host: $0, port: port, path: stream.path, viewer: viewer) }
        let commands = all.map { commands in
            "  \(commands.url)\n" + commands.lines.map { "    \($0)\n" }.joined()
        }
        return "\n\(stream.path)  \(stream.label)\n" + commands.joined()
    }
}
