import Foundation
import TestSupport
import Testing

/// Two network namespaces connected by a virtual cable (veth).
struct NetworkPair {
    let serverAddress = "10.77.0.1"
    private let server: String
    private let client: String

    /// The names are random, so that several pairs can exist at the same time.
    init() {
        let number = UInt32.random(in: 0 ... .max)
        (server, client) = ("apus-server-\(number)", "apus-client-\(number)")
    }

    static var isPossible: Bool { geteuid() == 0 && Command.exists("ip") }

    /// The command prefix that runs a program on the server's side.
    var onServer: [String] { ["ip", "netns", "exec", server] }
    var onClient: [String] { ["ip", "netns", "exec", client] }

    func create() async throws {
        for line in [
            "netns add \(server)", "netns add \(client)",
            "link add cable netns \(server) type veth peer name cable netns \(client)",
            "-n \(server) addr add 10.77.0.1/24 dev cable", "-n \(client) addr add 10.77.0.2/24 dev cable",
            "-n \(server) link set lo up", "-n \(client) link set lo up",
            "-n \(server) link set cable up", "-n \(client) link set cable up",
            "-n \(server) route add default via 10.77.0.2", "-n \(client) route add default via 10.77.0.1",
        ] {
            let outcome = try await Command.run(["ip"] + line.split(separator: " ").map(String.init))
            guard outcome.status == 0 else { throw Command.Failure.cannotStart("ip \(line): \(outcome.diagnostics)") }
        }
    }

    /// Deletes the namespaces and with them the cable.
    func remove() async {
        for name in [server, client] {
            let outcome = try? await Command.run(["ip", "netns", "del", name])
            #expect(outcome?.status == 0)
        }
    }
}
