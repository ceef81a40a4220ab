import FoundationEssentials
import HTTPServer
import Streams
import Synchronization

/// The events for one client of HTTP, as server-sent events (HTML Standard, section 9.2). Thread-safe.
final class EventFeed: EndlessBody, Waker {
    private struct State {
        var subscription: EventSubscription?
        var waker: (any Waker)?
        var hasBegun = false
    }

    private let state = Mutex(State())

    /// Events that wait for a slow client. More of them replace the oldest, and the client is told their number.
    private static let capacity = 256
    /// Events that are sent at once, of some hundred bytes each.
    private static let batch = 16
    /// How long a client waits before it asks again after the end of the response.
    private static let beginning = Array("retry: 1000\n\n".utf8)

    /// `nil` if the bus has too many subscribers.
    init?(of events: EventBus, _ isWanted: @escaping @Sendable (StreamEvent) -> Bool) {
        guard let subscription = events.subscribe(capacity: Self.capacity, waking: self, isWanted) else { return nil }
        state.withLock { $0.subscription = subscription }
    }

    func wake() { state.withLock(\.waker)?.wake() }

    func began(_ waker: any Waker) { state.withLock { $0.waker = waker } }

    func next() -> [UInt8] {
        let (subscription, isFirst) = state.withLock { state in
            defer { state.hasBegun = true }
            return (state.subscription, !state.hasBegun)
        }
        guard let (events, droppedCount) = subscription?.take(atMost: Self.batch) else { return [] }
        var bytes = isFirst ? Self.beginning : []
        if droppedCount > 0 { bytes += Array("event: dropped\ndata: {\"events\":\(droppedCount)}\n\n".utf8) }
        return events.reduce(into: bytes) { $0 += Self.message($1) }
    }

    var keepalive: [UInt8] { Array(":\n\n".utf8) }

    func ended() { state.withLock { ($0.subscription, $0.waker) = (nil, nil) } }

    private static func message(_ event: StreamEvent) -> [UInt8] {
        // JSON has no line feed, and an event can always be written.
        Array("id: \(event.id)\ndata: ".utf8) + Array((try? JSONEncoder.compact.encode(event)) ?? Data())
            + Array("\n\n".utf8)
    }
}

extension JSONEncoder {
    /// Writes one line with sorted keys.
    static var compact: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
