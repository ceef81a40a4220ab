import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// The memory of large responses counts as long as it is held.
struct ResponseChargeTests {
    /// More than the buffers of both ends hold.
    private static let byteCount = 20_000_000

    private func withServer(_ body: (TestServer, MemoryBudget) async throws -> Void) async throws {
        let budget = MemoryBudget(maximumByteCount: 100_000_000)
        let route = Route(.path("/charged"), for: .everyone) { _, exchange in
            var response = Response(body: [UInt8](repeating: 7, count: Self.byteCount))
            response.charge = budget.charge(response.body.count)
            exchange.respond(response)
        }
        try await TestServer.run(more: [route]) { try await body($0, budget) }
    }

    @Test func aResponseCountsUntilTheClientHasTakenIt() async throws {
        try await withServer { server, budget in
            let client = try server.connect()
            client.send("GET /charged HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await eventually(within: 20) { budget.byteCount == Self.byteCount })
            #expect(client.response()?.body.count == Self.byteCount)
            #expect(await eventually(within: 20) { budget.byteCount == 0 })
        }
    }

    @Test func aResponseCountsUntilTheConnectionCloses() async throws {
        try await withServer { server, budget in
            var client: HTTPSocket? = try server.connect()
            client?.send("GET /charged HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await eventually(within: 20) { budget.byteCount == Self.byteCount })
            client = nil
            #expect(await eventually(within: 20) { budget.byteCount == 0 })
            // Nothing is sent to HEAD.
            #expect(try server.connect().ask("HEAD /charged")?.status == 200)
            #expect(await eventually(within: 20) { budget.byteCount == 0 })
        }
    }
}
