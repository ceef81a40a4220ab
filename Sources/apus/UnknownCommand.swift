import Glibc
import Streams

/// A first argument that names no command of apus, and the command that the user probably meant.
struct UnknownCommand {
    private let name: String
    /// The parent command: `apus`, or `apus bench`.
    private let parent: String
    private let suggestion: String?

    /// `nil` if `arguments` begin with a command or an option.
    init?(in arguments: [String]) {
        // `apus help COMMAND` takes the same names.
        let names = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments
        guard let first = names.first, !first.hasPrefix("-") || first == "-" else { return nil }
        guard Self.commands[first] != nil || first == "help" else {
            self.init(first, of: "apus", among: Self.commands, rest: names.dropFirst())
            return
        }
        guard first == "bench", names.count > 1, !names[1].hasPrefix("-"), names[1] != "help" else { return nil }
        guard Self.benches[names[1]] == nil else { return nil }
        self.init(names[1], of: "apus bench", among: Self.benches, rest: names.dropFirst(2))
    }

    private init(_ name: String, of parent: String, among commands: [String: [String]], rest: ArraySlice<String>) {
        self.name = name
        self.parent = parent
        let word = name.lowercased()
        let synonyms = commands.flatMap { command, words in words.map { ($0, command) } }
        let meanings = Dictionary(synonyms) { first, _ in first }
        let meant =
            meanings[word] ?? nearestName(to: word, among: commands.keys)
            ?? nearestName(to: word, among: meanings.keys).flatMap { meanings[$0] }
        suggestion = Self.command(forSource: name, of: parent) ?? meant.map { "\(parent) \($0)" }
    }

    /// The command for an argument that is a source or a URL, instead of a command.
    private static func command(forSource text: String, of parent: String) -> String? {
        if text.hasPrefix("rtsp://") || text.hasPrefix("rtsps://") {
            return parent == "apus" ? "apus measure \(text)" : "\(parent) viewers \(text)"
        }
        guard parent == "apus" else { return nil }
        guard text == "testcard" || text == "-" || text.contains("/") || access(text, F_OK) == 0 else { return nil }
        return "apus serve \(text)"
    }

    /// One sentence without a full stop.
    var message: String {
        "`\(name)` is not a command of \(parent)" + (suggestion.map { "; did you mean `\($0)`?" } ?? "")
    }

    /// The commands of apus, and other words for each.
    private static let commands = [
        "serve": ["stream", "start", "run", "publish", "share", "broadcast", "server", "listen", "restream"],
        "set": ["change", "modify", "update", "configure", "edit", "tune", "put"],
        "settings": ["overlay", "overrides", "setting", "preferences", "changes"],
        "status": [
            "info", "show", "stats", "statistics", "clients", "sessions", "monitor", "health", "metrics", "top",
        ],
        "check": ["validate", "verify", "lint", "test", "doctor"],
        "devices": ["cameras", "microphones", "encoders", "list", "detect", "hardware", "inputs"],
        "password": ["passwd", "user", "users", "adduser", "hash", "login", "secret"],
        "certificate": ["cert", "tls", "ssl", "rtsps", "https", "keygen"],
        "playlist": ["play", "watch", "view", "open", "vlc", "player", "m3u"],
        "sdp": ["describe", "description", "multicast"],
        "measure": ["latency", "delay", "ping", "jitter", "probe", "analyse", "analyze", "screenshot"],
        "bench": [
            "bandwidth", "benchmark", "load", "loadtest", "stress", "performance", "perf", "throughput", "capacity",
        ],
        "reference": ["config", "configuration", "options", "defaults", "example", "template", "init", "manual"],
        "version": ["release", "about"],
    ]

    /// The commands of `apus bench`, and other words for each.
    private static let benches = [
        "viewers": ["clients", "load", "users", "sessions", "stress", "connections", "capacity"],
        "joins": ["start", "startup", "connect", "zap", "zapping"],
        "encoding": ["encode", "encoder", "codec", "transcode"],
        "limit": ["maximum", "max", "kernel", "network", "bandwidth", "throughput"],
    ]
}
