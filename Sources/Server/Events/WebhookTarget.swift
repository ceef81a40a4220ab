import Connecting
import FoundationEssentials
import Logging
import Media
import RTSP
import Reactor
import Streams
import Synchronization

/// Posts events to one web server, one after the other, on its own thread. Thread-safe.
///
/// libcurl blocks that thread, so a web server that never answers delays nothing else.
final class WebhookTarget: Waker {
    private struct State {
        var delivery = WebhookDelivery()
        /// Whether the thread will look again at `WebhookDelivery.nextTry`.
        var isTimerSet = false
        var droppedCount = 0
        var lastWarning: MonotonicTime?
    }

    let settings: Configuration.Webhook
    private let signature: WebhookSignature?
    private let destinations: PermittedDestinations
    private let log: Logger
    private let thread: WorkThread
    private let state = Mutex(State())
    private let subscription = Mutex<EventSubscription?>(nil)
    /// Used by the thread only.
    private let client = Mutex<HTTPClient?>(nil)

    /// Events that wait; a web server that is away for long gets the newest.
    static let capacity = 256
    /// Time between two warnings, in nanoseconds.
    private static let warningInterval: Int64 = 60_000_000_000

    /// Starts the thread and subscribes.
    ///
    /// - Parameter destinations: where it may connect to.
    init(
        _ settings: Configuration.Webhook, of events: EventBus, to destinations: PermittedDestinations, log: Logger
    ) throws(SystemError) {
        (self.settings, self.destinations, self.log) = (settings, destinations, log)
        signature = WebhookSignature(secret: settings.secret)
        thread = try WorkThread(name: "apus-webhook")
        subscription.withLock {
            $0 = events.subscribe(capacity: Self.capacity, waking: self) { settings.wants($0) }
        }
    }

    func wake() { thread.run { [weak self] in self?.deliver() } }

    /// Ends the subscription. An event that is being posted is posted to the end.
    func stop() { subscription.withLock { $0 = nil } }

    /// Whether no event waits, or none can be delivered now.
    var hasSettled: Bool {
        let (isIdle, isRetrying) = state.withLock { ($0.delivery.isIdle, $0.delivery.nextTry != nil) }
        return isRetrying || isIdle && waitingCount == 0
    }

    private var waitingCount: Int { subscription.withLock { $0?.waitingCount ?? 0 } }

    // MARK: - The thread

    private func deliver() {
        while true {
            switch state.withLock({ $0.delivery.next(at: .now()) }) {
            case .post(let event): report(post(event))
            case .takeNext:
                guard let (events, droppedCount) = subscription.withLock({ $0?.take(atMost: 1) }) else { return }
                guard let event = events.first else { return }
                state.withLock { state in
                    state.droppedCount += droppedCount
                    state.delivery.took(event)
                }
            case .wait(let instant):
                // Each event wakes the thread, and one timer is enough.
                let isTimerSet = state.withLock { state in
                    defer { state.isTimerSet = true }
                    return state.isTimerSet
                }
                if !isTimerSet { thread.run(at: instant) { [weak self] in self?.timerFired() } }
                return
            }
        }
    }

    private func timerFired() {
        state.withLock { $0.isTimerSet = false }
        deliver()
    }

    private func report(_ result: WebhookDelivery.Result) {
        let now = MonotonicTime.now()
        let (wasFailing, isDue) = state.withLock { state in
            let wasFailing = state.delivery.nextTry != nil
            state.delivery.ended(result, jitter: .random(in: 1...1.25), at: now)
            guard result != .accepted else { return (wasFailing, false) }
            if let last = state.lastWarning, now - last < Self.warningInterval { return (wasFailing, false) }
            state.lastWarning = now
            return (wasFailing, true)
        }
        switch result {
        case .accepted:
            if wasFailing { log.notice("a webhook is delivered again", metadata: ["url": "\(settings.url)"]) }
        case .refused(let reason), .failed(let reason):
            guard isDue else { return }
            log.warning(
                "a webhook cannot be delivered", metadata: ["url": "\(settings.url)", "reason": "\(reason)"])
        }
    }

    private func post(_ event: StreamEvent) -> WebhookDelivery.Result {
        client.withLock { client in
            do throws(HTTPFailure) {
                let present: HTTPClient
                if let client {
                    present = client
                } else {
                    present = try HTTPClient(posting: settings.url.text, to: destinations)
                    client = present
                }
                let body = try Self.body(of: event)
                try present.setHeaders(try headers(for: event, body))
                let status = try present.post(body, withinMilliseconds: Int64(settings.timeoutSeconds) * 1_000)
                return WebhookDelivery.Result(status: status)
            } catch {
                client = nil
                return .failed(reason: error.description)
            }
        }
    }

    private static func body(of event: StreamEvent) throws(HTTPFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(event))
        } catch {
            throw HTTPFailure(description: "the event cannot be written as JSON")
        }
    }

    private func headers(for event: StreamEvent, _ body: [UInt8]) throws(HTTPFailure) -> [String] {
        let seconds = WallClock.unixNanoseconds() / 1_000_000_000
        var headers = [
            "User-Agent: apus/\(apusVersion)", "webhook-id: \(event.id)", "webhook-timestamp: \(seconds)",
        ]
        guard let signature else { return headers }
        do throws(OpenSSLFailure) {
            let value = signature.value(id: event.id, unixSeconds: seconds, body: body, try .openSSL())
            headers.append("webhook-signature: \(value)")
            return headers
        } catch {
            throw HTTPFailure(description: error.description)
        }
    }

    // MARK: - Status

    var status: WebhookStatus {
        let waitingCount = waitingCount
        return state.withLock { state in
            let delivery = state.delivery
            return WebhookStatus(
                url: settings.url, waitingCount: waitingCount + (delivery.isIdle ? 0 : 1),
                deliveredCount: delivery.deliveredCount, refusedCount: delivery.refusedCount,
                failedCount: delivery.failedCount, droppedCount: state.droppedCount, nextTry: delivery.nextTry,
                lastFailure: delivery.lastFailure)
        }
    }
}

/// What has become of the events of a webhook.
struct WebhookStatus: Hashable, Sendable {
    let url: WebhookURL
    let waitingCount: Int
    /// Events that were accepted.
    let deliveredCount: Int
    /// Events that were refused, and are not posted again.
    let refusedCount: Int
    /// Attempts that failed.
    let failedCount: Int
    /// Events that were dropped because too many waited.
    let droppedCount: Int
    /// When the present event is posted again; `nil` if it need not be.
    let nextTry: MonotonicTime?
    let lastFailure: WebhookDelivery.Failure?
}
