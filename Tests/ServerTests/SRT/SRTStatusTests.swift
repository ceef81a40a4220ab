import Foundation
import Logging
import TestSupport
import Testing

@testable import Server

/// The statistics of SRT in the status, the API and the metrics, by a server that publishes to itself and pulls from itself.
@Suite(.serialized)
struct SRTStatusTests {
    private static let small = "source: testcard, video: { width: 160, height: 120, frameRate: 15 }"

    /// The test card of `card` is forwarded to the publishing point `in`, which `copy` pulls.
    private static func server() throws -> APIServer {
        let port = try LoopbackSocket.freePort()
        return try APIServer(
            "srt: { port: \(port), latencyMilliseconds: 20 }\naccess: { loopback: publish }",
            paths: """
                card: { \(small), forward: "srt://127.0.0.1:\(port)?streamid=publish:in&latency=20" }
                  in: { source: publish }
                  copy: { source: "srt://127.0.0.1:\(port)?streamid=read:in&latency=20" }
                """)
    }

    private static func lines(_ status: ServerStatus) -> [ServerStatus.SRTLine?] {
        let streams = Dictionary(uniqueKeysWithValues: status.streams.map { ($0.path, $0) })
        return [streams["/in"]?.input?.srt, streams["/copy"]?.input?.srt, streams["/card"]?.forwards.first?.srt]
    }

    @Test func inputsAndForwardsHaveTheStatisticsOfTheirConnections() async throws {
        let server = try Self.server()
        var status: ServerStatus?
        #expect(
            await eventually(within: 60) {
                status = await server.assembly.status()
                return status.map(Self.lines)?.allSatisfy { ($0?.roundTrip ?? 0) > 0 } == true
            })
        let lines = try #require(status.map(Self.lines)).compactMap(\.self)
        #expect(lines.count == 3)
        for line in lines {
            #expect(line.latency == 20)
            #expect(line.lost >= 0 && line.retransmitted >= 0 && line.dropped >= 0 && line.buffer >= 0)
        }
        let text = try #require(status).text
        #expect(
            text.matches(of: /round trip \S+ ms, \d+ packets lost, .* with a latency of 20.0 ms/).count == 3, "\(text)")
        let others = try #require(status).streams.filter { ["/cam", "/yard"].contains($0.path) }
        #expect(others.count == 2 && others.allSatisfy { $0.input?.srt == nil })

        // The metrics, which have the address of no server.
        let metrics = try server.connect().ask("GET /metrics")?.text ?? ""
        for name in ["lost_packets_total", "retransmitted_packets_total", "dropped_packets_total"] {
            #expect(metrics.contains("apus_input_srt_\(name){path=\"/in\"} "), "\(name)")
            #expect(metrics.contains("apus_input_srt_\(name){path=\"/copy\"} "), "\(name)")
        }
        for name in [
            "lost_packets", "retransmitted_packets", "dropped_packets", "round_trip_seconds", "buffer_seconds",
        ] {
            #expect(metrics.contains("apus_forwards_srt_\(name){path=\"/card\"} "), "\(name)")
        }
        let line = try #require(metrics.firstMatch(of: /apus_input_srt_round_trip_seconds{path="\/in"} (\S+)/))
        let roundTrip = Double(line.1)
        #expect(try (0..<1).contains(#require(roundTrip)))
        #expect(!metrics.contains("127.0.0.1"))

        // The API has the keys that its description names.
        let schema = try Self.schema()
        let response = try #require(try server.connect().ask("GET /api/v1/status"))
        let streams = try #require(try APIServer.object(response)["streams"] as? [[String: Any]])
        var count = 0
        for stream in streams {
            let places = [stream["input"] as? [String: Any]] + (stream["forwards"] as? [[String: Any]] ?? [])
            for case let connection as [String: Any] in places.map({ $0?["srt"] }) {
                count += 1
                #expect(connection.keys.sorted() == schema.keys)
                for (key, type) in schema.types {
                    let number = try #require(connection[key] as? NSNumber)
                    #expect(type == "number" || number.doubleValue.rounded() == number.doubleValue, "\(key)")
                }
            }
        }
        #expect(count == 3)
    }

    /// The described keys, all of which are required, and their types.
    private static func schema() throws -> (keys: [String], types: [String: String]) {
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any]
        let schemas = (document?["components"] as? [String: Any])?["schemas"] as? [String: Any]
        let schema = try #require(schemas?["SRTConnection"] as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect((schema["required"] as? [String])?.sorted() == properties.keys.sorted())
        return (properties.keys.sorted(), properties.compactMapValues { $0["type"] as? String })
    }
}

/// libsrt is loaded before media loops need it.
struct SRTLoadingTests {
    private static let forwarded = "{ source: testcard, forward: \"srt://127.0.0.1:9?streamid=publish:x\" }"

    private static func configuration(_ paths: String) throws -> Configuration {
        var configuration = try Configuration(
            yaml: """
                rtp: { firstUDPPort: 20000, lastUDPPort: 24000 }
                loops: { threads: 1 }
                srt: { serve: no }
                control: { socket: '' }
                paths:
                  cam: { source: testcard, video: { width: 160, height: 120, frameRate: 15 } }
                \(paths)
                """, file: "apus.yml")
        (configuration.server.port, configuration.http.port) = (0, 0)
        return configuration
    }

    private static func assembly(_ paths: String = "") throws -> Assembly {
        try Assembly(configuration(paths), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test(
        arguments: [
            ("", false), ("  yard: \(forwarded)", true), ("  yard: { source: \"srt://127.0.0.1:9\" }", true),
            ("  \"live/*\": { source: publish, forward: \"srt://127.0.0.1:9?streamid=publish:*\" }", true),
            ("  yard: { source: publish, forward: \"rtsp://127.0.0.1:9/yard\" }", false),
        ] as [(String, Bool)])
    func aServerThatCallsNoOtherDoesNotLoadTheLibrary(paths: String, isLoaded: Bool) throws {
        #expect(try Self.configuration(paths).callsSRT == isLoaded)
        #expect(try Self.assembly(paths).pulls.srt.isLoaded == isLoaded)
    }

    @Test func aReloadLoadsTheLibraryForNewForwards() async throws {
        let assembly = try Self.assembly()
        try assembly.start()
        defer { assembly.stop() }
        #expect(!assembly.pulls.srt.isLoaded)
        assembly.apply(try Self.configuration("  yard: \(Self.forwarded)"))
        #expect(assembly.pulls.srt.isLoaded)
        // The thread runs: the call ends, because no server answers.
        #expect(
            await eventually(within: 20) {
                await assembly.status().streams.contains { $0.forwards.contains { $0.reconnects > 0 } }
            })
    }

    @Test func theControlSocketLoadsTheLibraryForNewForwards() throws {
        let assembly = try Self.assembly()
        try assembly.start()
        defer { assembly.stop() }
        _ = try assembly.set(["forward=srt://127.0.0.1:9?streamid=publish:x"], of: "cam")
        #expect(assembly.pulls.srt.isLoaded)
    }
}
