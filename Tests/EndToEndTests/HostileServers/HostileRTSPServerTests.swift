import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Servers of RTSP that attack Apus while it pulls their streams.
    @Suite(.serialized, .sharesMachine)
    struct HostileRTSPServers {
        /// All attack at the same time, again and again, on the event loop that two viewers of another path share.
        @Test func noServerDisturbsOtherPaths() async throws {
            let answered = Mutex<Set<Int>>([])
            let servers = try HostileRTSPServer.all.enumerated().map { index, server in
                try ScriptedServer { request, peer in
                    defer { if request.method == "PLAY" { _ = answered.withLock { $0.insert(index) } } }
                    return server.script(request, peer)
                }
            }
            defer { servers.forEach { $0.stop() } }
            let paths = servers.enumerated().map {
                "  hostile\($0): { source: \"\($1.url)\", pull: { transport: tcp } }\n"
            }
            try await Target.withTarget(Setting(decision: .open, isEncrypted: false), paths: paths.joined()) { target in
                var highest = 0
                /// All servers have attacked: their reasons are logged, or they have sent all of their media.
                func isOver() -> Bool {
                    highest = max(highest, target.memory)
                    return zip(HostileRTSPServer.all, servers).enumerated().allSatisfy { index, row in
                        row.0.reason.map {
                            target.server.log.contains("\(row.1.url): ") && target.server.log.contains($0)
                        }
                            ?? answered.withLock { $0.contains(index) }
                    }
                }
                _ = await eventually(within: 40, isOver)
                for (index, row) in zip(HostileRTSPServer.all, servers).enumerated() {
                    let lines = target.server.log.split(separator: "\n").filter { $0.contains(row.1.url) }
                    if let reason = row.0.reason {
                        #expect(lines.contains { $0.contains(reason) }, "\(row.0.name): \(lines)")
                    } else {
                        #expect(answered.withLock { $0.contains(index) }, "\(row.0.name): \(lines)")
                    }
                }
                #expect(target.takeProblems() == [])
                // Media of at most 4 MB for each of three, the frame without an end (8 MB), and the server itself (20 MB).
                #expect(Sanitizer.current != nil || highest < 72_000, "\(highest) KB")
                // A connection, a timer and a name query each at most.
                #expect(target.descriptorCount < 40 + 3 * servers.count, "\(target.descriptorCount) descriptors")
                let seen = target.records.map(\.packetCount)
                let isRunning = await eventually(within: 5) {
                    zip(target.records, seen).allSatisfy { $0.packetCount > $1 }
                }
                #expect(isRunning, "a viewer receives nothing any more")
            }
        }
    }
}
