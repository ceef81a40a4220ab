import ArgumentParser
import Reactor
import Server

struct PlaylistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Write a playlist with which VLC plays a stream with low delay.",
        discussion: """
            VLC also plays the plain URL, but with its default delay. The playlist contains settings for a lower delay. A \
            smaller --caching means less delay, but more stutter on uneven networks.

            VLC logs in with the viewer's password, or, if the configuration has users, as the user of --user. The playlist \
            contains the password, so keep the file private.

            Examples:
              apus playlist cam > cam.m3u
              vlc cam.m3u
              apus playlist cam --user ann > cam.m3u
            """)

    @Option(help: "The configuration file of the server; ./apus.yml or /etc/apus/apus.yml by default.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The server's IPv4 address or name; this host's first address by default. VLC tries several in turn.",
            valueName: "host"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "VLC logs in as this user of the configuration. apus asks for the password if the configuration has only a hash.",
            valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The duration that VLC buffers, 20 to 2000.", valueName: "milliseconds"))
    var caching = 250

    @Argument(help: "The path: cam or /cam.")
    var path: String

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535, not \(port)") }
        guard (20...2_000).contains(caching) else {
            throw ValidationError("--caching takes 20 to 2000 milliseconds, not \(caching)")
        }
        for text in host where URLHost(text)?.vlcText == nil {
            throw ValidationError("--host takes an IPv4 address or a name, not \(text)")
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
            let loopback = configuration.access.loopback
            return try configuration.storedViewerPassword().map { URLLogin($0, isNeededHere: loopback == .asOthers) }
        }
        let login = try configuration.urlLogin(of: user, watching: name) { try readPassword(.once) }
        if configuration.access.satip != .all {
            writeToStandardError("apus: note: VLC of Debian and Ubuntu cannot log in with this value of access.satip\n")
        }
        return login
    }

    private func hosts(of server: Configuration.Server) -> [URLHost] {
        guard host.isEmpty else { return host.compactMap { URLHost($0) } }
        // Without the list of interfaces, the playlist names this host only.
        let addresses = (try? LocalAddresses.all()) ?? []
        let reaching = URLHost.reaching(listener: server.address, addresses: addresses)
        return URLHost.forVLC(among: reaching).map { [$0] } ?? []
    }
}
