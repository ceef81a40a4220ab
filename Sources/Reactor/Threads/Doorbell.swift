import CLinux
import Glibc

/// Lets one thread wait for a signal from other threads. Signals before the wait count once.
public final class Doorbell: Sendable {
    private let descriptor: Descriptor

    public init() throws(SystemError) {
        descriptor = try Descriptor(eventfd(0, clinux_eventfd_flags), from: "eventfd")
    }

    /// For an event loop that waits for the signal among others: readable after `ring`, until `wait`.
    public var fd: Int32 { descriptor.fd }

    /// Wakes the waiting thread, or the next wait. Any thread may call this at any time; it never blocks.
    public func ring() {
        // The counter overflows only after 2^64 calls, so that this cannot fail.
        _ = eventfd_write(descriptor.fd, 1)
    }

    /// Blocks until `ring` is called, or returns at once if it was called since the last wait. Also returns after
    /// `milliseconds` or on a signal.
    public func wait(milliseconds: Int32) {
        var request = pollfd(fd: descriptor.fd, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return }
        var count: eventfd_t = 0
        // poll reported the counter as readable and no other thread reads it.
        _ = eventfd_read(descriptor.fd, &count)
    }
}
