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

    public let listeners: [String]
    public let streams: [StreamLine]
    public let port: Int
    /// Under which the server is reached.
    public let hosts: [URLHost]

    public init(listeners: [String], streams: [StreamLine], port: Int, hosts: [URLHost]) {
        self.listeners = listeners
        self.streams = streams
        self.port = port
        self.hosts = hosts
    }

    /// All lines, each ended.
    public var text: String {
        let listening = listeners.map { "listening on \($0)\n" }
        let playlist = "\nA file with VLC's options for less delay: apus playlist PATH > FILE.m3u\n"
        return (["Apus \(apusVersion)\n"] + listening + streams.map(text) + [playlist]).joined()
    }

    private func text(_ stream: StreamLine) -> String {
        let commands = hosts.map { PlayerCommands(host: $0, port: port, path: stream.path) }.map { commands in
            "  \(commands.url)\n" + commands.lines.map { "    \($0)\n" }.joined()
        }
        return "\n\(stream.path)  \(stream.label)\n" + commands.joined()
    }
}
