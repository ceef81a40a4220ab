import HTTPServer
import Streams

extension Assembly {
    /// The events of the server while they happen.
    func eventRoutes() -> [Route] {
        [
            Route(.path("/api/v1/events"), for: .named(.status), parameters: ["path", "kind"]) {
                [events] request, exchange in
                do throws(Problem) {
                    let kinds = try Self.kinds(request.target.query["kind"])
                    let path = request.streamPath
                    let isWanted: @Sendable (StreamEvent) -> Bool = { event in
                        (path == nil || event.path == path) && (kinds.isEmpty || kinds.contains(event.kind))
                    }
                    // A browser that has no identifier yet sends none, or an empty one.
                    let lastID = request.values(of: "Last-Event-ID").first { !$0.isEmpty }
                    guard let feed = EventFeed(of: events, after: lastID, isWanted) else {
                        throw Problem(.serviceUnavailable, "too many clients follow the events", retryAfter: 5)
                    }
                    exchange.respond(Response(headers: [("Content-Type", "text/event-stream")]), endlessly: feed)
                } catch {
                    exchange.refuse(error)
                }
            }
        ]
    }

    /// The kinds of events in a list such as `source-up,source-down`; none for all kinds.
    private static func kinds(_ list: String?) throws(Problem) -> Set<StreamEvent.Kind> {
        guard let list else { return [] }
        var kinds: Set<StreamEvent.Kind> = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = StreamEvent.Kind(rawValue: String(name)) else {
                let all = StreamEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.badRequest, "kind: is a list of events with commas, out of \(all)")
            }
            kinds.insert(kind)
        }
        return kinds
    }
}
