import RTSP
import Streams
import Yams

extension Configuration {
    /// A web server to which events are posted.
    public struct Webhook: Hashable, Sendable {
        public var url = WebhookURL.example
        /// Empty for all.
        public var events: [StreamEvent.Kind] = []
        public var paths = [PathPattern("*")].compactMap(\.self)
        /// Empty for none.
        public var secret = ""
        public var timeoutSeconds = 5

        public init() {}

        /// Whether it gets this event.
        func wants(_ event: StreamEvent) -> Bool {
            (events.isEmpty || events.contains(event.kind)) && paths.contains { $0.matches(event.path) }
        }
    }
}

extension Schema<Configuration.Webhook> {
    static var webhook: Self {
        Schema(
            takingEffect: .live,
            .webhookURL(
                "url", \.url,
                "Where events are posted, each as a JSON object. No log or status shows more than the host. The certificate of an "
                    + "https:// server must be valid. Redirections are not followed."),
            .list(
                "events", \.events, of: "event: " + StreamEvent.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                "The events that are posted; empty for all.", parse: StreamEvent.Kind.init(rawValue:), show: \.rawValue),
            .patterns("paths", \.paths, "The paths whose events are posted."),
            .webhookSecret(
                "secret", \.secret,
                "Signs each request with HMAC-SHA-256, so that the web server can tell it from requests of others. It is used as it "
                    + "is, or, if it begins with whsec_, decoded from Base64 behind that."),
            .integer(
                "timeoutSeconds", \.timeoutSeconds, in: 1...60, unit: "seconds",
                "How long the web server may take to answer. Until then no other event is posted to it; other web servers do not "
                    + "wait."))
    }
}

extension Entry {
    /// A URL, which no message repeats, because it may contain a secret.
    fileprivate static func webhookURL(
        _ key: String, _ member: WritableKeyPath<Section, WebhookURL>, _ reason: String
    ) -> Self {
        let expectation = "an http:// or https:// URL"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .scalar(let scalar) = node, !node.isNothing, let url = WebhookURL(scalar.string) else {
                    return reading.note("expects \(expectation)", at: node, path)
                }
                section[keyPath: member] = url
            },
            content: .option(
                OptionText(expectation: expectation, reason: reason) { quoted($0[keyPath: member].text) })
        ).secret()
    }

    /// A secret, which no message repeats.
    fileprivate static func webhookSecret(
        _ key: String, _ member: WritableKeyPath<Section, String>, _ reason: String
    ) -> Self {
        let expectation = "one line of 16 to 128 bytes, or \"\""
        return Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .scalar(let scalar) = node, !node.isNothing, isLine(scalar.string, maximumBytes: 128),
                    scalar.string.isEmpty || WebhookSignature(secret: scalar.string) != nil
                else { return reading.note("expects \(expectation)", at: node, path) }
                section[keyPath: member] = scalar.string
            },
            content: .option(OptionText(expectation: expectation, reason: reason) { quoted($0[keyPath: member]) })
        ).secret()
    }
}
