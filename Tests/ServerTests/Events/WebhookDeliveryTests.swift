import Media
import Testing

@testable import Server
@testable import Streams

/// Which event of a webhook is posted when, in virtual time.
struct WebhookDeliveryTests {
    private static let second: Int64 = 1_000_000_000

    private static func event(_ number: UInt64) -> StreamEvent {
        StreamEvent(id: "r-\(number)", number: number, unixNanoseconds: 0, path: "/cam", occurrence: .sourceUp)
    }

    private static func instant(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9))
    }

    @Test func eventsFollowEachOtherAsTheyAreAccepted() {
        var delivery = WebhookDelivery()
        #expect(delivery.next(at: Self.instant(0)) == .takeNext && delivery.isIdle)
        for number: UInt64 in 1...3 {
            delivery.took(Self.event(number))
            #expect(delivery.next(at: Self.instant(0)) == .post(Self.event(number)))
            delivery.ended(.accepted, jitter: 1, at: Self.instant(0))
            #expect(delivery.next(at: Self.instant(0)) == .takeNext)
        }
        #expect(delivery.deliveredCount == 3 && delivery.lastFailure == nil)
    }

    @Test func aFailureIsRepeatedAfterGrowingPausesUntilItIsAccepted() {
        var (delivery, now) = (WebhookDelivery(), 100.0)
        delivery.took(Self.event(1))
        for pause in [1.0, 2, 4, 8, 16, 32, 60, 60, 60] {
            #expect(delivery.next(at: Self.instant(now)) == .post(Self.event(1)))
            delivery.ended(.failed(reason: "the answer was 500"), jitter: 1, at: Self.instant(now))
            #expect(delivery.next(at: Self.instant(now)) == .wait(until: Self.instant(now + pause)))
            #expect(delivery.next(at: Self.instant(now + pause - 0.001)) == .wait(until: Self.instant(now + pause)))
            now += pause
        }
        #expect(delivery.next(at: Self.instant(now)) == .post(Self.event(1)))
        delivery.ended(.accepted, jitter: 1, at: Self.instant(now))
        #expect((delivery.deliveredCount, delivery.failedCount, delivery.refusedCount) == (1, 9, 0))
        // The next failure begins with a short pause again.
        delivery.took(Self.event(2))
        delivery.ended(.failed(reason: "no answer"), jitter: 1.25, at: Self.instant(now))
        #expect(delivery.nextTry == Self.instant(now + 1.25))
        #expect(delivery.lastFailure == .init(reason: "no answer", at: Self.instant(now)))
    }

    @Test func aRefusedEventIsNotRepeated() {
        var delivery = WebhookDelivery()
        delivery.took(Self.event(1))
        delivery.ended(.refused(reason: "the answer was 410"), jitter: 1, at: Self.instant(0))
        #expect(delivery.next(at: Self.instant(0)) == .takeNext && delivery.refusedCount == 1)
    }

    @Test(arguments: [
        (200, "accepted"), (204, "accepted"), (299, "accepted"), (301, "refused"), (400, "refused"), (401, "refused"),
        (404, "refused"), (410, "refused"), (408, "failed"), (425, "failed"), (429, "failed"), (500, "failed"),
        (503, "failed"), (599, "failed"),
    ])
    func theStatusDecides(_ status: Int, _ expected: String) {
        let result = WebhookDelivery.Result(status: status)
        switch result {
        case .accepted: #expect(expected == "accepted")
        case .refused(let reason): #expect(expected == "refused" && reason == "the answer was \(status)")
        case .failed(let reason): #expect(expected == "failed" && reason == "the answer was \(status)")
        }
    }

    // MARK: - Signature

    /// The example of the specification and of its libraries.
    @Test func theSignatureIsThatOfStandardWebhooks() throws {
        let signature = try #require(WebhookSignature(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let value = try signature.value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", unixSeconds: 1_614_265_330, body: Array("{\"test\": 2432232314}".utf8),
            .openSSL())
        #expect(value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func secretsAreLongEnoughAndDecodable() {
        #expect(WebhookSignature(secret: "fifteen letters") == nil && WebhookSignature(secret: "") == nil)
        #expect(WebhookSignature(secret: "sixteen letters!") != nil)
        #expect(WebhookSignature(secret: "whsec_not*base64*at all") == nil)
        #expect(WebhookSignature(secret: "whsec_MfKQ9r8GKYqrTwjU") != nil)
    }

    // MARK: - Configuration

    @Test(arguments: [
        ("https://hook.example/a?b=c", "https://hook.example"), ("HTTP://10.0.0.7:8080/x", "http://10.0.0.7:8080"),
        ("http://ann:secret@[2001:db8::1]:80/", "http://[2001:db8::1]:80"), ("http://host", "http://host"),
        ("https://a@b@evil.example#x", "https://evil.example"),
    ])
    func onlySchemeAndHostOfAURLAreShown(_ text: String, _ shown: String) {
        #expect(WebhookURL(text)?.description == shown)
    }

    @Test(arguments: [
        "", "http://", "https:///path", "ftp://host/", "http:/host", "http://ho st/", "http://hö.example/",
        "http://:80/",
        "http://a\n", "file:///etc/passwd", "http://user@/",
    ])
    func otherTextsAreNoURLs(_ text: String) {
        #expect(WebhookURL(text) == nil)
    }

    @Test func aWebhookIsAURLOrHasOptions() throws {
        let configuration = try Configuration(
            yaml: """
                webhooks:
                  - https://a.example/x
                  - url: http://b.example/
                    events: [viewer-joined, viewer-left]
                    paths: [yard/*]
                    secret: sixteen letters!
                    timeoutSeconds: 2
                """, file: "apus.yml")
        let (all, some) = (configuration.webhooks[0], configuration.webhooks[1])
        let up = StreamEvent(id: "", number: 1, unixNanoseconds: 0, path: "/yard/gate", occurrence: .sourceUp)
        let client = StreamEvent.Client(peer: "", name: nil, transport: "")
        let left = StreamEvent(
            id: "", number: 1, unixNanoseconds: 0, path: "/yard/gate", occurrence: .viewerLeft(client, reason: ""))
        let other = StreamEvent(
            id: "", number: 1, unixNanoseconds: 0, path: "/cam", occurrence: .viewerLeft(client, reason: ""))
        #expect(all.wants(up) && all.wants(left) && all.wants(other))
        #expect(!some.wants(up) && some.wants(left) && !some.wants(other))
        #expect((some.secret, some.timeoutSeconds) == ("sixteen letters!", 2))
        #expect(try Configuration(yaml: "webhooks: http://a/", file: "apus.yml").webhooks.count == 1)
    }

    @Test(arguments: [
        (
            "webhooks: [{ url: 'http://a/', secret: hidden }]",
            "webhooks.secret: expects one line of 16 to 128 bytes, or \"\""
        ),
        ("webhooks: ftp://hidden/", "webhooks.url: expects an http:// or https:// URL"),
        ("webhooks: [{ events: [source-up] }]", "webhooks: needs a `url`"),
        (
            "webhooks: [{ url: 'http://a/', events: [source-upp] }]",
            "webhooks.events: expects a list of at most 64, each an event: path-added, path-removed, settings-changed, source-up, "
                + "source-down, source-failed, publisher-joined, publisher-left, viewer-joined, viewer-left, not `source-upp`"
        ),
    ])
    func mistakesAreReportedWithoutSecrets(_ yaml: String, _ message: String) throws {
        let text = try #require(problems(yaml))
        #expect(text.hasSuffix(message) && !text.contains("hidden"), "\(text)")
    }
}
