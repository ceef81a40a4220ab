import CLinux
import Glibc
import Media
import Synchronization

@testable import Reactor

/// Waits for at most two seconds until `fd` is ready; returns whether it is.
func waitUntil(_ fd: Int32, _ events: Int32) -> Bool {
    var descriptor = pollfd(fd: fd, events: Int16(events), revents: 0)
    return poll(&descriptor, 1, 2_000) == 1
}

/// A queue of values from one thread to another.
final class Mailbox<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    /// A semaphore with one unit per value.
    private let signal = eventfd(0, clinux_eventfd_semaphore)

    func put(_ value: Value) {
        values.withLock { $0.append(value) }
        eventfd_write(signal, 1)
    }

    /// The next value; `nil` if none came within two seconds.
    func take() -> Value? {
        guard waitUntil(signal, POLLIN) else { return nil }
        var count: eventfd_t = 0
        guard eventfd_read(signal, &count) == 0 else { return nil }
        return values.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    var isEmpty: Bool { values.withLock { $0.isEmpty } }

    deinit { close(signal) }
}

/// A handler that calls a closure.
final class ClosureHandler: EventLoopHandler {
    typealias Turn = @Sendable (Events, Bool, MonotonicTime) -> MonotonicTime
    private let body: Turn

    init(_ body: @escaping Turn) {
        self.body = body
    }

    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        body(events, wasWoken, now)
    }
}

extension EventLoop {
    /// Stops the loop and waits for its end.
    func finish() {
        stop()
        join()
    }
}
