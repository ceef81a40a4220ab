import Foundation
import Reactor
import TestSupport
import Testing

extension EndToEnd {
    /// Hundreds of viewers over TCP that stop reading, while datagrams cause turns of their event loop.
    @Suite(.serialized, .exclusive)
    struct StalledViewers {
        private static let configuration = """
            loops: { threads: 1 }
            limits: { viewerStallSeconds: 300 }
            access: { open: true }
            paths:
              cam: { video: { width: 320, height: 180, frameRate: 25, bitrate: 300000 }, audio: { enabled: false } }
            """

        /// The cost of each turn is compared with that of the same loop before these viewers come, because machines differ. It was
        /// six times as much when each turn visited all viewers.
        @Test func theyMakeATurnOfTheLoopLittleDearer() async throws {
            let folder = try TemporaryFolder()
            try folder.write(Self.configuration, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml")) { server in
                #expect(try await server.isServing())
                let port = try Self.udpPort(of: server)
                let alone = try Self.work(of: server, whileDatagramsComeTo: port)
                // One connection may have eight sessions.
                let clients = try (0..<63).map { _ in try Self.stalledClient(of: server) }
                // Their fast starts count as unread only after two seconds.
                try await Task.sleep(for: .seconds(4))
                let withThem = try Self.work(of: server, whileDatagramsComeTo: port)
                #expect(withThem < 3 * max(alone, 10), "\(withThem) hundredths of a second, \(alone) without them")
                withExtendedLifetime(clients) {}
            }
        }

        /// Returns the processor time of the loop during four seconds in which 2 000 datagrams a second cause turns, in hundredths of a
        /// second.
        private static func work(of server: ServerProcess, whileDatagramsComeTo port: UInt16) throws -> Int {
            let before = server.work(ofThreadsNamed: "apus-loop-0")
            try send(datagrams: 2_000, eachSecondFor: 4, to: port)
            return server.work(ofThreadsNamed: "apus-loop-0") - before
        }

        private static func stalledClient(of server: ServerProcess) throws -> RTSPSocket {
            let client = RTSPSocket(over: try LoopbackSocket(port: server.port, bufferByteCount: 4_096))
            let sessions = try (0..<8).map { session in
                let transport = "RTP/AVP/TCP;unicast;interleaved=\(2 * session)-\(2 * session + 1)"
                let answer = try client.request("SETUP", server.url("cam/track1"), ["Transport": transport])
                #expect(answer.status == 200)
                return answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
            }
            for session in sessions { client.send(client.text(of: "PLAY", server.url(), ["Session": session])) }
            return client
        }

        /// Returns the loop's RTP port.
        private static func udpPort(of server: ServerProcess) throws -> UInt16 {
            let answer = try RTSPSocket(port: server.port).request(
                "SETUP", server.url("cam/track1"), ["Transport": "RTP/AVP;unicast;client_port=40000-40001"])
            return try #require(answer.serverPort, "\(answer.head)")
        }

        /// Sends datagrams of one byte at equal intervals.
        private static func send(datagrams perSecond: Int, eachSecondFor seconds: Double, to port: UInt16) throws {
            let socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
            let start = Date()
            var sent = 0
            while -start.timeIntervalSinceNow < seconds {
                if Double(sent) < -start.timeIntervalSinceNow * Double(perSecond) {
                    _ = [UInt8(0)].withUnsafeBytes { socket.send($0, to: .loopback(.ipv4, port: port)) }
                    sent += 1
                } else {
                    pause(0.000_2)
                }
            }
            // Otherwise the machine was too busy for a meaningful result.
            #expect(Double(sent) > 0.9 * seconds * Double(perSecond))
        }
    }
}

extension ServerProcess {
    /// Returns the processor time of the threads with this name, in hundredths of a second.
    func work(ofThreadsNamed name: String) -> Int {
        let folder = "/proc/\(command.processID)/task"
        // A thread may end meanwhile.
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.reduce(0) { sum, thread in
            let line = (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
            guard line.contains("(\(name))"), let end = line.lastIndex(of: ")") else { return sum }
            // User and system time are fields 14 and 15; the name is field 2.
            let fields = line[end...].split(separator: " ").dropFirst()
            return sum + fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
        }
    }
}
