import CLinux

/// The readiness of one descriptor.
public struct Event: Hashable, Sendable {
    public let token: Token
    public let readiness: Readiness
}

/// The events of one turn; valid only until that turn returns.
///
/// The conformance is unchecked because the events pass from the loop to its actor on the same thread.
public struct Events: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline
    let storage: UnsafeBufferPointer<epoll_event>

    init(_ storage: UnsafeBufferPointer<epoll_event>) {
        self.storage = storage
    }

    @inlinable
    public var startIndex: Int { 0 }
    @inlinable
    public var endIndex: Int { storage.count }

    public subscript(position: Int) -> Event {
        let event = storage[position]
        var readiness = Readiness(rawValue: event.events & 0x01D)
        if event.events & clinux_peer_hangup != 0 { readiness.insert(.hangup) }
        return Event(token: Token(rawValue: event.data.u64), readiness: readiness)
    }
}
