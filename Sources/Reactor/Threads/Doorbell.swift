import CLinux
import Glibc

/// Where a thread that is no event loop waits until another one rings. Rings that come before it waits are one.
public final class Doorbell: Sendable {
    private let descriptor: Descriptor

    public init() throws(SystemError) {
        descriptor = try Descriptor(eventfd(0, clinux_eventfd_flags), from: "eventfd")
    }

    /// From any thread, at any time; never blocks.
    public func ring() {
        // The counter would overflow after 2^64 rings: this cannot fail.
        _ = eventfd_write(descriptor.fd, 1)
    }

    /// Blocks until somebody rings, or has rung since the last wait; for so long at most, or until a signal comes.
    public func wait(milliseconds: Int32) {
        var door = pollfd(fd: descriptor.fd, events: Int16(POLLIN), revents: 0)
        guard poll(&door, 1, milliseconds) > 0 else { return }
        var count: eventfd_t = 0
        // There is something to read, as poll says, and nobody else reads it.
        _ = eventfd_read(descriptor.fd, &count)
    }
}
