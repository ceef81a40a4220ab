import Media
import Streams
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Viewers over HTTP in events and in counts: each that joins also leaves, for a reason.
struct ViewerEventTests {
    /// A server with one stream, and what the bus of the stream has passed on.
    private func withServer(
        _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in },
        _ body: (TestServer, LiveStream, ReceivedEvents) async throws -> Void
    ) async throws {
        let bus = EventBus(run: "test") { 0 }
        let events = try ReceivedEvents(bus)
        let live = LiveStream(events: bus)
        live.publishGroup(2)
        let services = TestServices()
        services.streams.withLock { $0["/cam"] = live.path }
        try await TestServer.run(services, change) { try await body($0, live, events) }
    }

    private func watch(_ server: TestServer, _ target: String = "/cam/index.mp4") throws -> HTTPSocket {
        let client = try server.connect()
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nUser-Agent: player/1\r\n\r\n")
        #expect(client.response(hasBody: false)?.status == 200)
        return client
    }

    @Test func aFileOfAClientThatLeavesIsReported() async throws {
        try await withServer { server, live, events in
            var client: HTTPSocket? = try watch(server)
            #expect(await eventually(within: 20) { events.list.count == 1 })
            let joined = try #require(events.list.first?.client)
            #expect(joined.transport == "MP4" && joined.name == "player/1" && joined.user == nil)
            #expect(joined.peer.hasPrefix("127.0.0.1:"))
            #expect(
                live.stream.viewerCounts.counts.joined == ["MP4": 1] && live.stream.viewerCounts.counts.left.isEmpty)
            client = nil
            _ = client
            #expect(await eventually(within: 20) { events.list.count == 2 })
            #expect(events.list.last?.occurrence == .viewerLeft(joined, reason: "the client left"))
            #expect(live.stream.viewerCounts.left == ["MP4 connection_closed": 1])
        }
    }

    @Test func aFileThatIsCompleteIsReported() async throws {
        try await withServer { server, live, events in
            let client = try watch(server, "/cam/index.mp4?duration=1")
            live.publishGroup(40)
            #expect(await eventually(within: 20) { events.list.map(\.kind) == [.viewerJoined, .viewerLeft] })
            #expect(events.list.last?.reason == "complete" && live.stream.viewerCounts.left == ["MP4 left": 1])
            withExtendedLifetime(client) {}
        }
    }

    @Test func aWebSocketIsReportedWhenAnOperatorDisconnectsIt() async throws {
        try await withServer { server, live, events in
            let client = try WebSocketClient(server, "/cam/ws", "User-Agent: browser/1")
            #expect(await eventually(within: 20) { events.list.map(\.kind) == [.viewerJoined] })
            #expect(events.list.last?.client?.transport == "WebSocket")
            #expect(events.list.last?.client?.name == "browser/1")
            #expect(await server.server.disconnect(viewer: "v1"))
            #expect(client.closeCode() == 4000)
            #expect(await eventually(within: 20) { events.list.count == 2 })
            #expect(events.list.last?.reason == "an operator has disconnected the viewer")
            #expect(live.stream.viewerCounts.left == ["WebSocket disconnected": 1])
        }
    }

    @Test func theEndOfAStreamIsReportedForEachViewer() async throws {
        try await withServer { server, live, events in
            let clients = (try watch(server), try WebSocketClient(server, "/cam/ws"))
            #expect(await eventually(within: 20) { events.list.count == 2 })
            await server.server.withdraw(live.stream)
            #expect(await eventually(within: 20) { events.list.count == 4 })
            #expect(events.list.suffix(2).allSatisfy { $0.reason == "the stream was removed" })
            #expect(live.stream.viewerCounts.left == ["MP4 stream_ended": 1, "WebSocket stream_ended": 1])
            withExtendedLifetime(clients) {}
        }
    }

    /// Neither a client that never got media, nor one without media, is a viewer that has joined.
    @Test func clientsWithoutMediaAreNotReported() async throws {
        try await withServer({ $0.firstMediaMilliseconds = 50 }) { server, live, events in
            let empty = LiveStream("/empty", isAnnounced: false)
            server.services.streams.withLock { $0["/empty"] = empty.path }
            let client = try server.connect()
            #expect(client.ask("GET /empty/index.mp4")?.status == 503)
            #expect(try server.connect().ask("GET /cam/index.mp4?video=0")?.status == 406)
            #expect(try server.connect().ask("HEAD /cam/index.mp4")?.status == 200)
            let socket = try WebSocketClient(server, "/api/v1/ws")
            #expect(socket.message("hello") != nil)
            #expect(events.list.isEmpty && live.stream.viewerCounts.counts.joined.isEmpty)
            #expect(empty.stream.viewerCounts.counts.joined.isEmpty)
        }
    }
}

/// All events of a bus. Thread-safe.
private final class ReceivedEvents: Sendable {
    private let subscription: EventSubscription
    private let events = Mutex<[StreamEvent]>([])

    init(_ bus: EventBus) throws {
        subscription = try #require(bus.subscribe { $0.kind == .viewerJoined || $0.kind == .viewerLeft })
    }

    /// Those so far.
    var list: [StreamEvent] {
        events.withLock { events in
            events += subscription.take().events
            return events
        }
    }
}

extension StreamEvent {
    fileprivate var client: Client? {
        switch occurrence {
        case .viewerJoined(let client), .viewerLeft(let client, _): client
        default: nil
        }
    }

    fileprivate var reason: String? {
        if case .viewerLeft(_, let reason) = occurrence { reason } else { nil }
    }
}

extension ViewerCounts {
    /// Those that have left, by transport and reason.
    fileprivate var left: [String: Int] {
        counts.left.reduce(into: [:]) { $0["\($1.key.transport) \($1.key.departure.rawValue)"] = $1.value }
    }
}
