import ArgumentParser
import Reactor
import Server

struct PlaylistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Write the playlist with which VLC shows a stream sooner than by its URL.",
        discussion: """
            VLC plays the URL as it is, with the delay of its own settings. The playlist carries lower ones, so that they \
            need not be set in VLC. Smaller --caching means less delay, and stutter where the network is less even.

            VLC logs in with the viewer's password, if there are no users in the configuration, else as the user that --user names. The \
            playlist contains the password, so keep the file to yourself.

            Examples:
              apus playlist cam > cam.m3u
              vlc cam.m3u
              apus playlist cam --user ann > cam.m3u
            """)

    @Option(help: "The configuration that the server runs with; ./apus.yml or /etc/apus/apus.yml where left out.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The server's IPv4 address, or a name that has one; this host's first by default. More are tried in turn.",
            valueName: "host"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "The user of the configuration that VLC logs in as. The password is asked for, unless the configuration holds it.",
            valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("What VLC holds back, 20 to 2000.", valueName: "milliseconds"))
    var caching = 250

    @Argument(help: "The path: cam or /cam.")
    var path: String

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535, not \(port)") }
        guard (20...2_000).contains(caching) else {
            throw ValidationError("--caching takes 20 to 2000 milliseconds, not \(caching)")
        }
        for text in host where URLHost(text)?.vlcText == nil {
            throw ValidationError("--host takes an IPv4 address or a name, which every VLC can use, not \(text)")
        }
    }

    func run() throws {
        do {
            var (configuration, _) = try Configuration.load(config)
            if let port { configuration.server.port = port }
            let name = path.hasPrefix("/") ? String(path.dropFirst()) : path
            let playlist = try configuration.playlist(
                of: name, hosts: hosts(of: configuration.server), login: login(for: name, configuration),
                cachingMilliseconds: caching)
            writeToStandardOutput(playlist.text)
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }

    private func login(for name: String, _ configuration: Configuration) throws -> URLLogin? {
        guard let user else {
            let loopback = configuration.access.loopback.policy
            return try configuration.storedViewerPassword().map { URLLogin($0, loopback: loopback) }
        }
        let login = try configuration.urlLogin(of: user, watching: name) { try readPassword(.once) }
        if configuration.access.satip != .credentials {
            writeToStandardError("apus: note: VLC of Debian and Ubuntu cannot log in with access.satip as it is\n")
        }
        return login
    }

    private func hosts(of server: Configuration.Server) -> [URLHost] {
        guard host.isEmpty else { return host.compactMap { URLHost($0) } }
        // Without the list of interfaces there is still this host to name.
        let addresses = (try? LocalAddresses.all()) ?? []
        let reaching = URLHost.reaching(listener: server.address, addresses: addresses)
        return URLHost.forVLC(among: reaching).map { [$0] } ?? []
    }
}
