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
    private static let capacity = EventBus.historyCapacity
    /// Events that are sent at once, of some hundred bytes each.
    private static let batch = 16

    /// `nil` if the bus has too many subscribers.
    ///
    /// - Parameter lastID: the last event that the client has got over an earlier connection.
    init?(of events: EventBus, after lastID: String?, _ isWanted: @escaping @Sendable (StreamEvent) -> Bool) {
        guard
            let subscription = events.subscribe(after: lastID, capacity: Self.capacity, waking: self, isWanted)
        else { return nil }
        state.withLock { $0.subscription = subscription }
    }

    func wake() { state.withLock(\.waker)?.wake() }

    func began(_ waker: any Waker) { state.withLock { $0.waker = waker } }

    func next() -> [UInt8] {
        let (subscription, isFirst) = state.withLock { state in
            defer { state.hasBegun = true }
            return (state.subscription, !state.hasBegun)
        }
        guard let subscription else { return [] }
        let (events, droppedCount) = subscription.take(atMost: Self.batch)
        var bytes = isFirst ? Self.beginning(of: subscription) : []
        if droppedCount > 0 { bytes += Self.dropped("\(droppedCount)") }
        return events.reduce(into: bytes) { $0 += Self.message($1) }
    }

    var keepalive: [UInt8] { Array(":\n\n".utf8) }

    func ended() { state.withLock { ($0.subscription, $0.waker) = (nil, nil) } }

    /// How long the client waits before it asks again after the end of the response, its place among the events, and which of them it
    /// cannot get.
    private static func beginning(of subscription: EventSubscription) -> [UInt8] {
        // An identifier that is unknown here may be any text of the client.
        let position = subscription.gap == .unknown ? "" : "id: \(subscription.position)\n"
        let beginning = Array("retry: 1000\n\(position)\n".utf8)
        switch subscription.gap {
        case .empty: return beginning
        case .events(let count): return beginning + dropped("\(count)")
        case .unknown: return beginning + dropped("null")
        }
    }

    private static func dropped(_ count: String) -> [UInt8] {
        Array("event: dropped\ndata: {\"events\":\(count)}\n\n".utf8)
    }

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
