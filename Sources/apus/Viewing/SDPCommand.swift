import ArgumentParser
import RTSPClient
import Reactor
import SDP
import Server

struct SDPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sdp",
        abstract: "Write the .sdp file with which players receive a multicast path without RTSP.",
        discussion: """
            Asks the server on this host for the tracks of the path, so the server must be running. The groups are those of the \
            configuration. With multicast: onRequest, the server sends to a group only while a client has requested it over RTSP.

            Example:
              apus sdp cam > cam.sdp
              ffplay -protocol_whitelist file,udp,rtp cam.sdp
            """)

    @Option(help: "The configuration file of the server; ./apus.yml or /etc/apus/apus.yml by default.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Flag(help: "The server was started with --multicast.")
    var multicast = false

    @Argument(help: "The path: cam or /cam.")
    var path: String

    func run() throws {
        do {
            let name = path.hasPrefix("/") ? String(path.dropFirst()) : path
            let configuration = try settings(with: name)
            let description = try configuration.multicastDescription(
                of: name, served: served(name, configuration))
            writeToStandardOutput(description.text)
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }

    private func settings(with name: String) throws -> Configuration {
        var (configuration, _) = try Configuration.load(config)
        if let port { configuration.server.port = port }
        // `serve --multicast name=…` serves one path, which has the first group.
        if multicast {
            configuration.paths = [name: Configuration.Path()]
            configuration.paths[name]?.multicast = .always
        }
        return configuration
    }

    private func served(_ name: String, _ configuration: Configuration) throws -> SessionDescription {
        let server = configuration.server
        let host = SocketAddress(server.address, port: 0).map { $0.family == .ipv6 ? "[\($0.host)]" : $0.host }
        let text = "rtsp://\(host ?? "127.0.0.1"):\(server.port)/\(name)"
        do {
            let url = try SessionPlan(text, transport: .tcp).url
            // Without users, clients of this host need a password only with `access.loopback: password`.
            let isFree = server.address.isEmpty && configuration.access.loopback != .asOthers
            let viewer = isFree ? nil : try configuration.storedViewerPassword()
            let login = try configuration.login(watching: name, viewer: viewer)
            return try Describe.description(of: url, login: login, deadline: .now().advanced(byMilliseconds: 5_000))
        } catch {
            throw Unanswered(url: text, reason: "\(error)")
        }
    }
}

/// Why the server did not describe the path.
private struct Unanswered: Error, CustomStringConvertible {
    let url: String
    let reason: String

    var description: String { "cannot get the description of \(url): \(reason); is a server with this path running?" }
}
