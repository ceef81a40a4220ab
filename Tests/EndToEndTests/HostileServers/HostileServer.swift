import Foundation
import TestSupport
import Testing

/// A server that attacks those that connect to it. docs/abuse.md has a table of all servers of a protocol.
protocol HostileServer: Sendable {
    /// What it does.
    var name: String { get }
    var protection: Attack.Guard { get }
    /// The visible effect.
    var effect: String { get }
    /// In the order of the table.
    static var all: [Self] { get }
}

extension HostileServer {
    static var table: String {
        let rows = all.map { "| \($0.name) | `\($0.protection.file)`: `\($0.protection.text)` | \($0.effect) |" }
        return "| the server's attack | guard | effect |\n|---|---|---|\n"
            + rows.joined(separator: "\n").replacing("||", with: "\\|\\|")
    }
}

extension EndToEnd {
    struct HostileServerGuards {
        @Test(arguments: [HostileRTSPServer.self, HostileRTMPServer.self] as [any HostileServer.Type])
        func eachAttackHasItsGuardInTheSourcesAndInTheDocumentation(servers: any HostileServer.Type) throws {
            for server in servers.all as [any HostileServer] {
                let file = Checkout.root.appending(path: "Sources/\(server.protection.file)")
                let source = try String(contentsOf: file, encoding: .utf8)
                #expect(source.contains(server.protection.text), "\(server.name): \(server.protection)")
            }
            let page = try String(contentsOf: Checkout.root.appending(path: "docs/abuse.md"), encoding: .utf8)
            #expect(page.contains(servers.table), "docs/abuse.md must contain:\n\(servers.table)")
        }
    }
}
