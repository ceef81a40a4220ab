import NIOCore
import Streams
import Synchronization

/// The events of the server for the client of one WebSocket. Confined to the event loop.
///
/// Events that a slow client does not take wait in the queue of the subscription, which is bounded.
final class SocketEvents {
    private let connection: LiveConnection
    private var waker: SocketEventWaker?
    private var subscription: EventSubscription?

    /// Events that are written before the channel is asked again whether it takes more; each has some hundred bytes.
    private static let batch = 16

    /// `nil` if too many clients follow the events.
    init?(of catalog: any StreamCatalog, over connection: LiveConnection, on loop: any EventLoop) {
        self.connection = connection
        let waker = SocketEventWaker(loop, NIOLoopBound(self, eventLoop: loop))
        guard let subscription = catalog.events(waking: waker) else { return nil }
        (self.waker, self.subscription) = (waker, subscription)
    }

    /// Sends the events that wait, as far as the channel takes them.
    func send() {
        var hasWritten = false
        while connection.isWritable, let (events, droppedCount) = subscription?.take(atMost: Self.batch) {
            if droppedCount > 0 { write(.dropped(events: droppedCount)) }
            for event in events { write(.event(event)) }
            hasWritten = hasWritten || droppedCount > 0 || !events.isEmpty
            if events.count < Self.batch { break }
        }
        if hasWritten { connection.flush() }
    }

    /// Ends the subscription. Nothing is sent afterwards.
    func end() { (waker, subscription) = (nil, nil) }

    private func write(_ message: ServerMessage) { connection.write(json(message), as: .text) }
}

/// Wakes the events of one WebSocket. Wake-ups that come before its turn are one.
private final class SocketEventWaker: Waker {
    private let loop: any EventLoop
    private let events: NIOLoopBound<SocketEvents>
    private let isAwake = Atomic(false)

    init(_ loop: any EventLoop, _ events: NIOLoopBound<SocketEvents>) {
        (self.loop, self.events) = (loop, events)
    }

    func wake() {
        guard !isAwake.exchange(true, ordering: .acquiring) else { return }
        loop.execute { [self] in
            isAwake.store(false, ordering: .releasing)
            events.value.send()
        }
    }
}
