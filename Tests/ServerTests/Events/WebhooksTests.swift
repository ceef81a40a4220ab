import Connecting
import Dispatch
import Foundation
import Logging
import RTSP
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Webhooks that post to real web servers.
@Suite(.serialized)
struct WebhooksTests {
    private let bus = EventBus(run: "run") { Int64(Date.now.timeIntervalSince1970 * 1e9) }
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func hook(_ url: String, secret: String = "", timeoutSeconds: Int = 60) throws
        -> Configuration.Webhook
    {
        var hook = Configuration.Webhook()
        hook.url = try #require(WebhookURL(url))
        (hook.secret, hook.timeoutSeconds) = (secret, timeoutSeconds)
        return hook
    }

    /// Runs webhooks while `body` runs.
    private func posting(
        to hooks: [Configuration.Webhook], rules: AddressRules = AddressRules(), _ body: (Webhooks) async throws -> Void
    ) async throws {
        let webhooks = Webhooks(hooks, of: bus, to: PermittedDestinations(rules), log: log)
        webhooks.start()
        defer { #expect(webhooks.join(until: .now() + .seconds(5))) }
        try await body(webhooks)
    }

    private func publish(_ numbers: ClosedRange<Int>) {
        for number in numbers { bus.publish("/cam\(number)") { .sourceUp } }
    }

    @Test func eventsArriveInOrderAndSigned() async throws {
        let web = try WebServer { _ in 204 }
        defer { web.stop() }
        let secret = "correct horse battery staple"
        try await posting(to: [Self.hook(web.url, secret: secret)]) { webhooks in
            publish(1...50)
            #expect(await eventually(within: 10) { web.requests.count == 50 })
            let signature = try #require(WebhookSignature(secret: secret))
            for (index, request) in web.all.enumerated() {
                let object = try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any]
                #expect(object?["path"] as? String == "/cam\(index + 1)" && object?["kind"] as? String == "source-up")
                let id = try #require(request.header("webhook-id"))
                #expect(id == object?["id"] as? String && id == "run-\(index + 1)")
                let seconds = try #require(request.header("webhook-timestamp").flatMap { Int64($0) })
                #expect(abs(Date.now.timeIntervalSince1970 - Double(seconds)) < 60)
                let value = try signature.value(
                    id: id, unixSeconds: seconds, body: Array(request.body.utf8), .openSSL())
                #expect(request.header("webhook-signature") == value)
                #expect(request.header("Content-Type") == "application/json")
                #expect(request.header("User-Agent")?.hasPrefix("apus/") == true)
                #expect(request.head.hasPrefix("POST /auth HTTP/1.1"))
            }
            #expect(await eventually(within: 20) { webhooks.status.first?.deliveredCount == 50 })
            #expect(webhooks.status.first?.waitingCount == 0)
        }
    }

    @Test func withoutASecretThereIsNoSignature() async throws {
        let web = try WebServer { _ in 200 }
        defer { web.stop() }
        try await posting(to: [Self.hook(web.url)]) { _ in
            publish(1...1)
            #expect(await eventually(within: 10) { web.requests.count == 1 })
            #expect(web.all.first?.header("webhook-signature") == nil)
        }
    }

    @Test func anEventIsPostedAgainAfterAnErrorAndLaterOnesWaitForIt() async throws {
        let isFailing = Atomic(true)
        let web = try WebServer { _ in isFailing.load(ordering: .relaxed) ? 500 : 200 }
        defer { web.stop() }
        try await posting(to: [Self.hook(web.url)]) { webhooks in
            publish(1...3)
            #expect(await eventually(within: 20) { web.requests.count >= 2 })
            let status = try #require(webhooks.status.first)
            #expect(status.waitingCount == 3 && status.lastFailure?.reason == "the answer was 500")
            isFailing.store(false, ordering: .relaxed)
            #expect(await eventually(within: 20) { webhooks.status.first?.deliveredCount == 3 })
            let ids = web.all.map { $0.header("webhook-id") }
            #expect(ids.prefix(2) == ["run-1", "run-1"] && ids.suffix(3) == ["run-1", "run-2", "run-3"])
            #expect(web.all[1].arrival - web.all[0].arrival >= .seconds(1))
            #expect(await eventually(within: 20) { webhooks.status.first?.deliveredCount == 3 })
            #expect(webhooks.status.first?.nextTry == nil)
        }
    }

    @Test func aRefusedEventIsNotPostedAgain() async throws {
        let web = try WebServer { $0.contains("cam1") ? 400 : 200 }
        defer { web.stop() }
        try await posting(to: [Self.hook(web.url)]) { webhooks in
            publish(1...2)
            #expect(await eventually(within: 10) { webhooks.status.first?.deliveredCount == 1 })
            #expect(web.requests.count == 2 && webhooks.status.first?.refusedCount == 1)
        }
    }

    @Test func aWebServerThatNeverAnswersDelaysNoOtherAndNoPublisher() async throws {
        let silent = try WebServer(answering: { _ in nil })
        let web = try WebServer { _ in 200 }
        defer {
            silent.stop()
            web.stop()
        }
        let hooks = try [Self.hook(silent.url), Self.hook(web.url)]
        try await posting(to: hooks) { webhooks in
            publish(1...1)
            #expect(await eventually(within: 20) { silent.requests.count == 1 })
            // More than the queue holds.
            publish(2...300)
            #expect(await eventually(within: 20) { web.requests.count >= 256 })
            #expect(await eventually(within: 20) { webhooks.status[1].waitingCount == 0 })
            // The one that is posted, and the newest 256.
            #expect(webhooks.status[0].waitingCount == 257 && webhooks.status[0].deliveredCount == 0)
        }
    }

    @Test func anAddressThatIsNotPermittedGetsNoConnection() async throws {
        let web = try WebServer { _ in 200 }
        defer { web.stop() }
        let rules = try AddressRules(denied: [#require(AddressBlock("127.0.0.0/8")), #require(AddressBlock("::1"))])
        // A name is checked by the address that it resolves to.
        let named = web.url.replacing("127.0.0.1", with: "localhost")
        try await posting(to: [Self.hook(web.url), Self.hook(named)], rules: rules) { webhooks in
            publish(1...1)
            #expect(await eventually(within: 10) { webhooks.status.allSatisfy { $0.failedCount > 0 } })
            for status in webhooks.status {
                let reason = try #require(status.lastFailure?.reason)
                #expect(reason.hasPrefix("access.connectAllow and connectDeny do not permit "), "\(reason)")
            }
            #expect(web.requests.isEmpty)
        }
    }

    @Test func aChangedConfigurationKeepsUnchangedWebhooks() async throws {
        let (first, second) = (try WebServer { _ in 200 }, try WebServer { _ in 200 })
        defer {
            first.stop()
            second.stop()
        }
        let hooks = try [Self.hook(first.url), Self.hook(second.url)]
        try await posting(to: [hooks[0]]) { webhooks in
            publish(1...1)
            #expect(await eventually(within: 10) { webhooks.status.first?.deliveredCount == 1 })
            webhooks.set(hooks)
            publish(2...2)
            #expect(await eventually(within: 10) { webhooks.status.map(\.deliveredCount) == [2, 1] })
            webhooks.set([hooks[1]])
            publish(3...3)
            #expect(await eventually(within: 10) { webhooks.status.map(\.deliveredCount) == [2] })
            #expect(first.requests.count == 2 && second.requests.count == 2)
        }
    }

    @Test func theLastEventsAreDeliveredWhenTheServerStops() async throws {
        let web = try WebServer { _ in 200 }
        defer { web.stop() }
        let webhooks = Webhooks([try Self.hook(web.url)], of: bus, to: PermittedDestinations(), log: log)
        webhooks.start()
        publish(1...1)
        #expect(await eventually(within: 10) { web.requests.count == 1 })
        webhooks.stop()
        publish(2...20)
        #expect(webhooks.join(until: .now() + .seconds(5)))
        #expect(await eventually(within: 20) { web.requests.count == 20 })
        publish(21...21)
        #expect(web.requests.count == 20)
    }

    @Test func noTextOfAConfigurationOrStatusHasASecret() async throws {
        var configuration = Configuration()
        configuration.webhooks = [
            try Self.hook("https://ann:s3cret@host.invalid/s3cret?s3cret", secret: "s3cret s3cret s3cret")
        ]
        let values = Schema.configuration.values(in: configuration, at: .root).map(\.text).joined()
        #expect(!values.contains("s3cret"))
        try await posting(to: configuration.webhooks) { webhooks in
            publish(1...1)
            #expect(await eventually(within: 20) { webhooks.status.first?.failedCount == 1 })
            let line = ServerStatus.WebhookLine(try #require(webhooks.status.first), at: .now())
            let text = "\(line)"
            #expect(!text.contains("s3cret") && line.url == "https://host.invalid", "\(text)")
        }
    }
}
