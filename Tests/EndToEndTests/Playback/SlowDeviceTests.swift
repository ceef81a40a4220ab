import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A network device of the server's host that is slower than the stream: its unsent bytes stay charged to the socket.
    @Suite(.serialized, .exclusive, .enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
    struct SlowDevice {
        @Test func aViewerOnASlowDeviceDelaysNoOther() async throws {
            let clip = try await Clip.longGOPs.path()
            let pair = NetworkPair()
            do {
                try await pair.create()
                try await pair.slowDown()
                let server = try await withDebiansSendBuffer {
                    try await ServerProcess.start(
                        ["--open", "--loops", "1", clip], prefix: pair.onServer)
                }
                try await expectUndisturbedViewer(of: server, in: pair)
                let note = "the kernel grants a smaller UDP send buffer than requested"
                #expect(server.log.components(separatedBy: note).count == 2, "\(server.log)")
                await server.stop()
            } catch {
                Issue.record(error)
            }
            await pair.remove()
        }

        private func expectUndisturbedViewer(of server: ServerProcess, in pair: NetworkPair) async throws {
            let slow = try Command(
                pair.onClient + Client.ffmpeg(server.url(host: pair.serverAddress), over: "udp")
                    + ["-c", "copy", "-f", "null", "-"])
            #expect(await eventually(within: 10) { server.log.contains("joined") }, "\(slow.errors)")
            let outcome = try await Command.run(
                pair.onServer + [ServerProcess.binary(), "measure", server.url(), "--seconds", "8", "--json"],
                within: 30)
            let report = try JSONDecoder().decode(Measure.Report.self, from: Data(outcome.output))
            #expect(report.packets.lost == 0)
            #expect(report.videoBitsPerSecond > 3_500_000)
            // A frame comes every 33 ms.
            let spacing = try #require(report.jitter.spacing)
            #expect(spacing.max < 100 - 33)
            #expect(slow.isRunning, "\(slow.errors)")
            slow.signal(SIGINT)
            _ = await slow.finish(within: 5)
        }

        /// Runs `body` while sockets get the send buffer that Debian allows: 212 992 bytes.
        private func withDebiansSendBuffer<Result>(_ body: () async throws -> Result) async throws -> Result {
            let limit = "/proc/sys/net/core/wmem_max"
            let former = try String(contentsOfFile: limit, encoding: .utf8)
            try Data("212992\n".utf8).write(to: URL(filePath: limit), options: [])
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            try Data(former.utf8).write(to: URL(filePath: limit), options: [])
            return try result.get()
        }
    }
}

extension NetworkPair {
    /// Limits the server's end of the cable to 1 Mbit/s, with a deep queue.
    fileprivate func slowDown() async throws {
        let outcome = try await Command.run(
            onServer
                + "tc qdisc add dev cable root tbf rate 1mbit burst 16kb limit 1400kb".split(separator: " ").map(
                    String.init))
        guard outcome.status == 0 else { throw Command.Failure.cannotStart("tc: \(outcome.diagnostics)") }
    }
}
