import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Servers of RTMP and SRT that attack Apus while it pulls their streams, or publishes to them. All attack at the same time, again and
    /// again, on the event loop that two viewers of another path share.
    @Suite(.serialized, .sharesMachine)
    struct HostileMediaServers {
        /// A server that is called, and what the log must tell.
        private struct Called {
            let name: String
            let port: Int
            /// Parts of the possible reasons; empty if the session goes on.
            let reasons: [String]
        }

        @Test func noRTMPServerDisturbsOtherPaths() async throws {
            let complete = Mutex<Set<Int>>([])
            var servers: [SocketServer] = []
            var called: [Called] = []
            defer { servers.forEach { $0.stop() } }
            for client in [ScriptedRTMP.Client.player, .publisher] {
                for hostile in HostileRTMPServer.all where client == .player || !hostile.isForPlayersOnly {
                    let index = servers.count
                    servers.append(
                        try SocketServer { socket in
                            guard hostile.attack(client, socket) else { return }
                            _ = complete.withLock { $0.insert(index) }
                            while socket.receive(within: 60).map({ !$0.isEmpty }) == true {}
                        })
                    called.append(
                        Called(
                            name: "\(hostile.name), for a \(client)", port: servers[index].port,
                            reasons: hostile.reason.map { [$0] } ?? []))
                }
            }
            let pullCount = HostileRTMPServer.all.count
            let urls = called.map { "rtmp://127.0.0.1:\($0.port)/live/secret" }
            try await run(called, pulling: urls[..<pullCount], forwardingTo: urls[pullCount...]) { index in
                complete.withLock { $0.contains(index) }
            }
            for (server, row) in zip(servers, called) {
                #expect(server.connectionCount < 30, "\(row.name): the pauses must grow")
            }
        }

        @Test func noSRTServerDisturbsOtherPaths() async throws {
            let hostile = HostileSRTServer.all
            let servers = try (hostile + hostile).map { try HostileSRTSocket($0) }
            defer { servers.forEach { $0.stop() } }
            let called = zip(hostile + hostile, servers).enumerated().map { index, row in
                let client = index < hostile.count ? "player" : "publisher"
                return Called(name: "\(row.0.name), for a \(client)", port: row.1.port, reasons: row.0.reasons)
            }
            let urls = called.map { "srt://127.0.0.1:\($0.port)?streamid=secret" }
            try await run(called, pulling: urls[..<hostile.count], forwardingTo: urls[hostile.count...]) { index in
                servers[index].receivedCount > 0
            }
        }

        /// - Parameter isComplete: whether the server with this index has sent all that it has.
        private func run(
            _ called: [Called], pulling sources: ArraySlice<String>, forwardingTo destinations: ArraySlice<String>,
            isComplete: @escaping (Int) -> Bool
        ) async throws {
            let pulls = sources.enumerated().map { "  hostile\($0): { source: \"\($1)\" }\n" }.joined()
            let small = "video: { width: 320, height: 180, frameRate: 25, bitrate: 300000 }"
            // A path has at most 16 forwards.
            let forwards = stride(from: destinations.startIndex, to: destinations.endIndex, by: 16).map { start in
                let list = destinations[start..<min(start + 16, destinations.endIndex)].map { "\"\($0)\"" }
                return "  away\(start): { \(small), forward: [\(list.joined(separator: ", "))] }\n"
            }
            let paths = pulls + forwards.joined()
            try await Target.withTarget(Setting(decision: .open, isEncrypted: false), paths: paths) { target in
                var highest = 0
                func lines(of row: Called) -> [Substring] {
                    target.server.log.split(separator: "\n").filter { $0.contains("127.0.0.1:\(row.port)") }
                }
                func hasAttacked(_ index: Int) -> Bool {
                    let reasons = called[index].reasons
                    guard !reasons.isEmpty else { return isComplete(index) }
                    return lines(of: called[index]).contains { line in reasons.contains { line.contains($0) } }
                }
                _ = await eventually(within: 25) {
                    highest = max(highest, target.memory)
                    return called.indices.allSatisfy(hasAttacked)
                }
                for index in called.indices {
                    #expect(hasAttacked(index), "\(called[index].name): \(lines(of: called[index]))")
                }
                // As long as the reasons of hostile servers may be, and the rest of the line.
                for line in target.server.log.split(separator: "\n") {
                    #expect(line.utf8.count < 1_000, "\(line.prefix(1_000))")
                }
                #expect(target.takeProblems() == [])
                // The media of at most 4 MB, three unfinished messages of 4 MB for each of two clients, and the server itself.
                #expect(Sanitizer.current != nil || highest < 100_000, "\(highest) KB")
                let seen = target.records.map(\.packetCount)
                let isRunning = await eventually(within: 5) {
                    zip(target.records, seen).allSatisfy { $0.packetCount > $1 }
                }
                #expect(isRunning, "a viewer receives nothing any more")
            }
        }
    }
}
