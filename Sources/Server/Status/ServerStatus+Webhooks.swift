import Media

extension ServerStatus {
    /// A web server to which events are posted.
    public struct WebhookLine: Hashable, Sendable, Codable {
        /// The scheme, the host and the port of its URL, the rest of which may be secret.
        public let url: String
        /// Events that wait.
        public let waiting: Int
        /// Events that the web server has accepted, and that it has refused.
        public let delivered: Int
        public let refused: Int
        /// Attempts that failed and are repeated.
        public let failures: Int
        /// Events that were dropped because too many waited.
        public let dropped: Int
        /// Why the last attempt that was not accepted failed, and when, in the format of `Condition.since`.
        public let lastFailure: String?
        public let lastFailureAt: String?
        /// Seconds until the waiting event is posted again; `nil` if it need not be.
        public let secondsToNextTry: Double?
    }

    /// The webhooks, for users; empty without webhooks.
    var webhooksText: String {
        guard !webhooks.isEmpty else { return "" }
        let header = [["webhook", "waiting", "delivered", "refused", "failures", "dropped", "next try"]]
        let rows = webhooks.map { hook in
            [
                hook.url, "\(hook.waiting)", "\(hook.delivered)", "\(hook.refused)", "\(hook.failures)",
                "\(hook.dropped)",
                hook.secondsToNextTry.map { "in \(Self.number($0)) s" } ?? "-",
            ]
        }
        let reasons = webhooks.compactMap { hook in
            hook.lastFailure.map { "  \(hook.url): the last failure: \(printable($0))\n" }
        }
        return "\n" + textTable(header + rows) + reasons.joined()
    }
}

extension ServerStatus.WebhookLine {
    init(_ status: WebhookStatus, at now: ClockReading) {
        url = status.url.description
        (waiting, delivered, refused) = (status.waitingCount, status.deliveredCount, status.refusedCount)
        (failures, dropped) = (status.failedCount, status.droppedCount)
        lastFailure = status.lastFailure?.reason
        lastFailureAt = status.lastFailure.map { ServerStatus.timestamp(of: $0.at, at: now) }
        secondsToNextTry = status.nextTry.map { max(0, Double($0 - now.monotonic) / 1_000_000_000) }
    }
}
