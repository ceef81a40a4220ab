import HTTP
import RTSP
import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// The events of the server over a WebSocket.
struct SocketEventTests {
    private let bus = EventBus(run: "run") { 1_795_338_487_006_250_000 }

    private func subscribe(_ client: WebSocketClient) {
        client.send(#"{"type":"subscribe","topic":"events"}"#)
        // The answer to the ping comes behind what the subscription has caused.
        client.send(#"{"type":"ping","id":1}"#)
    }

    @Test func aSubscriberGetsTheEventsOfAllPathsUntilItUnsubscribes() async throws {
        try await TestServer.run(TestServices(), events: bus) { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            subscribe(client)
            #expect(client.message("pong") != nil)
            bus.publish("/cam") { .sourceUp }
            bus.publish("/yard") { .pathRemoved }
            #expect(
                client.message("event")
                    == #"{"event":{"id":"run-1","kind":"source-up","number":1,"path":"/cam","text":"the source of /cam is up","time":1795338487006.25},"type":"event"}"#
            )
            #expect(client.message("event")?.contains(#""kind":"path-removed""#) == true)
            client.send(#"{"type":"unsubscribe","topic":"events"}"#)
            client.send(#"{"type":"ping","id":2}"#)
            #expect(client.message("pong") != nil)
            bus.publish("/cam") { .pathAdded }
            client.send(#"{"type":"ping","id":3}"#)
            #expect(client.next()?.text.contains("pong") == true)
        }
        #expect(bus.subscribe() != nil)
    }

    @Test func subscribingTwiceSendsEachEventOnce() async throws {
        try await TestServer.run(TestServices(), events: bus) { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            subscribe(client)
            subscribe(client)
            #expect(client.message("pong") != nil && client.message("pong") != nil)
            bus.publish("/cam") { .sourceUp }
            #expect(client.message("event") != nil)
            client.send(#"{"type":"ping","id":2}"#)
            #expect(client.next()?.text.contains("pong") == true)
        }
    }

    @Test func aClientWithoutTheRightToTheStatusGetsAnError() async throws {
        let bob = AccessPolicy.User(
            name: "bob", secret: .password("garden"), rights: [.read: [try #require(PathPattern("*"))]])
        let hashes = try HashFunctions.openSSL()
        let policy = AccessPolicy(
            realm: "Apus", users: [bob], openRights: [.read], hashes: { hashes }, random: { .random(in: .min ... .max) }
        )
        try await TestServer.run(TestServices(policy), events: bus) { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            subscribe(client)
            #expect(client.message("error")?.contains("this needs the right status for the whole server") == true)
        }
    }

    @Test func aServerWithTooManySubscribersSaysSo() async throws {
        let others = (0..<EventBus.maximumSubscriptions).map { _ in bus.subscribe() }
        try await TestServer.run(TestServices(), events: bus) { server in
            let client = try WebSocketClient(server, "/api/v1/ws")
            subscribe(client)
            #expect(client.message("error")?.contains("too many clients follow the events") == true)
        }
        #expect(others.count == EventBus.maximumSubscriptions)
    }

    /// The queue of the test's subscriptions holds four events.
    @Test func droppedEventsAreReported() async throws {
        let live = LiveStream()
        live.publishGroup(1)
        let services = TestServices()
        services.streams.withLock { $0["/cam"] = live.path }
        try await TestServer.run(services, events: bus) { server in
            let client = try WebSocketClient(server, "/cam/ws")
            subscribe(client)
            #expect(client.message("pong") != nil)
            // The client reads nothing until its channel is full.
            for index in 0..<400 { live.publish(isKeyframe: index % 20 == 0, byteCount: 100_000) }
            #expect(
                await eventually(within: 10) {
                    live.publish(isKeyframe: true, byteCount: 1_000)
                    return await server.server.liveStatistics().contains { $0.droppedUnits > 0 }
                })
            for _ in 0..<9 { bus.publish("/cam") { .sourceUp } }
            #expect(client.message("dropped") == #"{"events":5,"type":"dropped"}"#)
            #expect(client.message("event")?.contains(#""number":6"#) == true)
        }
    }
}
