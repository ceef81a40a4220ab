import Reactor

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
    /// Under which others find this host.
    public let addresses: [SocketAddress]

    public init(listeners: [String], streams: [StreamLine], port: Int, addresses: [SocketAddress]) {
        self.listeners = listeners
        self.streams = streams
        self.port = port
        self.addresses = addresses
    }

    /// All lines, each ended.
    public var text: String {
        let listening = listeners.map { "listening on \($0)\n" }
        return (["Apus \(apusVersion)\n"] + listening + streams.map(text)).joined()
    }

    private func text(_ stream: StreamLine) -> String {
        let urls = PlayerCommands.urls(path: stream.path, port: port, addresses: addresses)
        let commands = urls.map { url in
            "  \(url)\n" + PlayerCommands(url: url).lines.map { "    \($0)\n" }.joined()
        }
        return "\n\(stream.path)  \(stream.label)\n" + commands.joined()
    }
}
